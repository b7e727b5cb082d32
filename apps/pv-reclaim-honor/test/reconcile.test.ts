import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Observation } from '../src/decide/snapshot.ts';
import { createReconcile } from '../src/reconcile.ts';
import { createUndoReconcile } from '../src/reconcile-undo.ts';
import type { TakeSnapshot } from '../src/take-snapshot.ts';
import { csiFinalizer, volume } from './objects.ts';

const unexpected = (): never => {
  throw new Error('not to be called');
};
const logger = pino({ level: 'silent' });
const windowAskedFor = {
  ...{ enabled: true, grace: 60_000, askedBack: false },
  ...{ now: 0, serverNow: 0, noneOverBefore: undefined },
};

/** What the cache shows of a volume whose claim is gone. */
const released: Omit<Observation, 'volume'> = {
  source: 'cache',
  claimUid: undefined,
  claimBound: false,
  boundElsewhere: undefined,
  unlisted: undefined,
  attachedTo: [],
  sharedWith: [],
  freeOver: [],
};

const takeSnapshot: TakeSnapshot = (observation) => ({
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
});

test.each<{ what: string; seen: Partial<Observation>; phase?: string; told: readonly string[] }>([
  { what: 'claim has the volume', seen: { claimUid: 'c' }, phase: 'Bound', told: ['goes on'] },
  { what: 'released and attached', seen: { attachedTo: ['node-1'] }, told: ['Attached'] },
  { what: 'released, and nothing in the way', seen: {}, told: ['handed over'] },
  {
    what: 'released, and its undo window is to begin',
    seen: { undo: windowAskedFor },
    told: ['left to the queue of undo windows'],
  },
])('$what -> $told', async ({ seen, phase = 'Released', told }) => {
  const cached = volume({ finalizers: [csiFinalizer], claimUid: 'c', phase });
  const steps: string[] = [];
  const reconcile = createReconcile({
    volumes: { get: () => cached },
    observeInCache: () => ({ ...released, volume: cached, ...seen }),
    takeSnapshot,
    ownWrites: { isBehind: () => false },
    changeFinalizers: unexpected,
    warnings: {
      warn: ({ reason }) => {
        steps.push(reason);
        return { kind: 'done' };
      },
      goesOn: () => steps.push('goes on'),
    },
    deletions: { add: () => steps.push('handed over') },
    undoWindows: { add: () => steps.push('left to the queue of undo windows') },
    onLook: () => undefined,
    logger,
  });
  await reconcile('pv', undefined, new AbortController().signal);
  expect(steps).toEqual(told);
});

test.each<{ what: string; undo: Observation['undo']; phase: string; asked: readonly string[] }>([
  { what: 'undo window is to begin', undo: windowAskedFor, phase: 'Released', asked: ['pv'] },
  { what: 'bound again by now', undo: windowAskedFor, phase: 'Bound', asked: [] },
  { what: 'no window is asked for any more', undo: undefined, phase: 'Released', asked: [] },
])('$what -> the API server is asked about $asked', async ({ undo, phase, asked: expected }) => {
  const cached = volume({ name: 'pv', finalizers: [csiFinalizer], claimUid: 'c', phase });
  const asked: string[] = [];
  const reconcile = createUndoReconcile({
    volumes: { get: () => cached },
    observeInCache: () => ({ ...released, volume: cached, undo }),
    takeSnapshot,
    settleUndo: ({ volume: { metadata } }) => {
      asked.push(metadata.name);
      return Promise.resolve({ kind: 'done' });
    },
    logger,
  });
  expect(await reconcile('pv', undefined, new AbortController().signal)).toEqual({ kind: 'done' });
  expect(asked).toEqual(expected);
});
