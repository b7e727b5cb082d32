import { expect, test } from '@jest/globals';
import { ReconcileTimeout } from '@holdfast/runtime';
import { pino } from 'pino';
import type { Observation, Snapshot } from '../src/decide/snapshot.ts';
import { createDeletionReconcile, type DeletionReconcileOptions } from '../src/reconcile-deletion.ts';
import { csiFinalizer, volume } from './objects.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
const released = volume({
  finalizers: [csiFinalizer],
  claimUid: 'c',
  phase: 'Released',
  annotations: {
    'holdfast.dev/delete-after': new Date(noon).toISOString(),
    'holdfast.dev/delete-after-uid': 'uid-of-pv',
    'holdfast.dev/delete-after-claim-uid': 'c',
  },
});

const unexpected = (): never => {
  throw new Error('the API server or a driver was asked');
};
const undo = {
  enabled: true,
  grace: hour,
  askedBack: false,
  now: noon,
  serverNow: noon,
  noneOverBefore: undefined,
};
const observed = {
  volume: released,
  claimUid: undefined,
  attachedTo: [],
  claimBound: false,
  boundElsewhere: undefined,
  unlisted: undefined,
  sharedWith: [],
  freeOver: [],
} satisfies Partial<Observation>;
const nothingAsked: DeletionReconcileOptions = {
  volumes: { get: () => released },
  observeInCache: () => ({ ...observed, source: 'cache', undo }),
  observeOnServer: unexpected,
  takeSnapshot: (observation): Snapshot => ({
    ...observation,
    keeper: {
      kind: 'csi',
      name: 'csi.example.com',
      finalizer: csiFinalizer,
      stale: undefined,
      canDelete: true,
    },
    storageDeleted: false,
    honor: true,
    mode: 'reclaim',
  }),
  isReady: () => true,
  progress: { wait: () => 0, lookAge: unexpected },
  deleter: { prepare: unexpected },
  reclaimer: { reclaim: unexpected, finish: unexpected, refuse: unexpected },
  writeUndo: unexpected,
  warnings: { warn: unexpected, goesOn: () => undefined },
  inTreeTogether: unexpected,
  logger: pino({ level: 'silent' }),
};

test('S4: undo window was over when the volume was handed over, and is open again by a clock that was set back -> looked at again when it is over', async () => {
  const reconcile = createDeletionReconcile({
    ...nothingAsked,
    observeInCache: () => ({
      ...observed,
      source: 'cache',
      undo: { ...undo, serverNow: noon - 60_000 },
    }),
  });
  expect(await reconcile('csi.example.com', 'pv', new AbortController().signal)).toEqual({
    kind: 'requeueAfter',
    delay: 60_000,
  });
});

test.each([
  { what: 'nothing', meanwhile: {}, written: ['deleteObject'] },
  {
    what: 'a claim that asks for the volume',
    meanwhile: { undo: { ...undo, askedBack: true } },
    written: [],
  },
  { what: 'an attachment', meanwhile: { attachedTo: ['node-1'] }, written: [] },
])(
  'X1: undo window is over, and during the look at the API server, or while the write waits to be sent, the watch brings $what -> written: $written',
  async ({ meanwhile, written }) => {
    let inCache: Observation = { ...observed, source: 'cache', undo };
    const bring = (): void => {
      inCache = { ...inCache, ...meanwhile };
    };
    expect(await writesOf(bring, () => undefined)).toEqual(written);
    inCache = { ...observed, source: 'cache', undo };
    expect(await writesOf(() => undefined, bring)).toEqual(written);

    async function writesOf(duringLook: () => void, whileItWaits: () => void): Promise<readonly string[]> {
      const writes: string[] = [];
      const reconcile = createDeletionReconcile({
        ...nothingAsked,
        observeInCache: () => inCache,
        observeOnServer: () => {
          duringLook();
          return Promise.resolve({ ...observed, source: 'server', undo });
        },
        progress: { wait: () => 0, lookAge: () => 2_000 },
        deleter: { prepare: () => Promise.resolve({ delete: unexpected }) },
        writeUndo: ({ kind }, { look }) => {
          whileItWaits();
          // As the client asks right before it sends.
          if (look?.stillHolds?.() !== false) {
            writes.push(kind);
          }
          return Promise.resolve({ kind: 'done' });
        },
      });
      await reconcile('csi.example.com', 'pv', new AbortController().signal);
      return writes;
    }
  },
);

test('a try has failed, and the next is not due -> nothing is asked, looked at again then, behind others', async () => {
  const reconcile = createDeletionReconcile({
    ...nothingAsked,
    progress: { wait: () => 7, lookAge: unexpected },
  });
  expect(await reconcile('csi.example.com', 'pv', new AbortController().signal)).toEqual({
    kind: 'requeueAfter',
    delay: 7,
    behind: true,
  });
});

test.each<{ what: string; options: Partial<DeletionReconcileOptions>; reason: string; result: object }>([
  {
    what: 'driver is not connected any more',
    options: { isReady: () => false },
    reason: 'DriverAway',
    result: { kind: 'requeueAfter', delay: 7 },
  },
  {
    what: 'only the API server knows that it is attached',
    options: {
      progress: { wait: () => 0, lookAge: () => 2_000 },
      deleter: { prepare: () => Promise.resolve({ delete: unexpected }) },
      observeOnServer: () => Promise.resolve({ ...observed, source: 'server', undo, attachedTo: ['node-1'] }),
    },
    reason: 'Attached',
    result: { kind: 'requeueAfter', delay: 5_000 },
  },
])('$what -> nothing is deleted, and warned of if it lasts', async ({ options, reason, result }) => {
  const warnings: string[] = [];
  const reconcile = createDeletionReconcile({
    ...nothingAsked,
    warnings: {
      warn: (warning) => {
        warnings.push(warning.reason);
        return { kind: 'requeueAfter', delay: 7 };
      },
      goesOn: unexpected,
    },
    ...options,
  });
  expect(await reconcile('csi.example.com', 'pv', new AbortController().signal)).toEqual(result);
  expect(warnings).toEqual([reason]);
});

test.each([
  {
    what: 'the claim can not be read',
    error: new Error('ns/data can not be read'),
    ends: false,
    warned: true,
  },
  {
    what: 'it takes too long',
    error: new ReconcileTimeout('took longer than 75000 ms'),
    ends: true,
    warned: true,
  },
  { what: 'the controller ends', error: new Error('stopped'), ends: true, warned: false },
])('look at the API server fails: $what -> tried again, warned of if it lasts: $warned', async (failure) => {
  const { error, ends, warned } = failure;
  const stop = new AbortController();
  const warnings: unknown[] = [];
  const reconcile = createDeletionReconcile({
    ...nothingAsked,
    observeOnServer: () => {
      if (ends) {
        stop.abort(error);
      }
      return Promise.reject(error);
    },
    progress: { wait: () => 0, lookAge: () => 2_000 },
    deleter: { prepare: () => Promise.resolve({ delete: unexpected }) },
    warnings: {
      warn: (warning) => {
        warnings.push(warning.kind === 'lookFailed' ? warning.why : warning.reason);
        return { kind: 'done' };
      },
      goesOn: unexpected,
    },
  });
  await expect(reconcile('csi.example.com', 'pv', stop.signal)).rejects.toBe(error);
  expect(warnings).toEqual(warned ? [error.message] : []);
});

test('released, and its storage can be deleted now -> it waits for nothing any more', async () => {
  const steps: string[] = [];
  const reconcile = createDeletionReconcile({
    ...nothingAsked,
    observeOnServer: () =>
      Promise.resolve({
        ...observed,
        volume: volume({ finalizers: [csiFinalizer], claimUid: 'c', phase: 'Released' }),
        source: 'server',
      }),
    progress: { wait: () => 0, lookAge: () => 2_000 },
    deleter: { prepare: () => Promise.resolve({ delete: unexpected }) },
    reclaimer: {
      reclaim: ({ volume: { metadata } }) => {
        steps.push(`reclaim ${metadata.uid}`);
        return Promise.resolve({ kind: 'done' });
      },
      finish: unexpected,
      refuse: unexpected,
    },
    warnings: { warn: unexpected, goesOn: (uid) => steps.push(`${uid} goes on`) },
  });
  await reconcile('csi.example.com', 'pv', new AbortController().signal);
  expect(steps).toEqual(['uid-of-pv goes on', 'reclaim uid-of-pv']);
});
