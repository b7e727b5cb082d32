import { expect, test } from '@jest/globals';
import type { JsonPatch, KubernetesObject, PersistentVolume } from '@holdfast/core';
import {
  ApiError,
  checkLook,
  LookTooOld,
  openLook,
  ReconcileTimeout,
  type EventText,
  type Look,
  type RequestOptions,
} from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { DriverNotReadyError } from '../src/csi/csi-drivers.ts';
import type { OurKeeper } from '../src/decide/snapshot.ts';
import { createDeletionProgress } from '../src/deletion-progress.ts';
import { createFinalizerWriter } from '../src/finalizer-writer.ts';
import { OvertakenError } from '../src/overtaken-error.ts';
import { createReclaimer } from '../src/reclaim.ts';
import type { DeletionOptions } from '../src/volume-deleter.ts';
import { csiFinalizer, pvProtection, volume, withFinalizersOf } from './objects.ts';

const keeper: OurKeeper = {
  kind: 'csi',
  name: 'csi.example.com',
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
};
const held = volume({
  name: 'v',
  finalizers: [pvProtection, csiFinalizer],
  claimUid: 'c',
  phase: 'Released',
});
/** What only the plugin finds over the storage. */
const found = [volume({ name: 'linked' })];
const { signal } = new AbortController();
const answer = (code: number, reason: string, message = reason): ApiError =>
  new ApiError('request', code, { reason, message });
const guardFailed = answer(422, 'Invalid', 'the server rejected our request due to an error in our request');

interface World {
  /** What became of the record that the deletion begins. Default: it was written. */
  readonly notRecorded?: Error;
  /** As the API server has it after the deletion of the storage; undefined: gone. */
  readonly volume?: PersistentVolume | undefined;
  readonly deletion?: Error;
  /** The Secret that the driver should have received. Default: none is missing. */
  readonly withoutSecret?: string;
  readonly onDelete?: Error;
  readonly onPatch?: Error;
  readonly dryRun?: boolean;
  /** How long the API server takes to answer a get, milliseconds. Default: no time. */
  readonly slow?: number;
}

function open(world: World) {
  const { notRecorded, deletion, withoutSecret, onDelete, onPatch, dryRun = false, slow = 0 } = world;
  const left = 'volume' in world ? world.volume : held;
  const clock = createFakeClock();
  const progress = createDeletionProgress(clock);
  const steps: string[] = [];
  const recorded: EventText[] = [];
  const outcomes: string[] = [];
  /** What patches make of the record of our finalizer. */
  const records: unknown[] = [];
  const step = async (name: string, error: Error | undefined): Promise<void> => {
    steps.push(name);
    await Promise.resolve();
    if (error !== undefined) {
      throw error;
    }
  };
  /** As the client does before a write. */
  const mustBeYoung = (look: Look | undefined): void => {
    if (look !== undefined) {
      checkLook(look, clock.now());
    }
  };
  const writeFinalizers = createFinalizerWriter(
    {
      patch: async <T extends KubernetesObject>(
        _resource: object,
        _ref: object,
        patch: JsonPatch,
        { look }: RequestOptions = {},
      ) => {
        mustBeYoung(look);
        const change = patch.findLast(({ path }) => path === '/metadata/finalizers');
        records.push(
          ...patch.filter(({ op, path }) => op !== 'test' && path.startsWith('/metadata/annotations')),
        );
        await step(`patch ${JSON.stringify(change)}`, onPatch);
        return withFinalizersOf(held, patch) as unknown as T;
      },
    },
    { finalizer: (operation, outcome) => outcomes.push(`${operation} ${outcome}`) },
  );
  const reclaimer = createReclaimer({
    client: {
      get: async <T extends KubernetesObject>(
        _resource: object,
        _ref: object,
        { look }: RequestOptions = {},
      ) => {
        if (look !== undefined) {
          look.lookedAt = clock.now();
        }
        await clock.advance(slow);
        await step('get', left === undefined ? answer(404, 'NotFound') : undefined);
        return left as unknown as T;
      },
      delete: async (_resource, _ref, options) => {
        mustBeYoung(options?.look);
        await step(`delete ${String(options?.preconditions?.uid)}`, onDelete);
      },
    },
    progress,
    writeFinalizers,
    recordBegun: async ({ metadata }, others) => {
      await step(
        `record ${[metadata, ...others.map((each) => each.metadata)].map(({ name }) => name).join()}`,
        notRecorded,
      );
    },
    dryRun,
    clock,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: {
      volumeDeleted: () => outcomes.push('volume deleted'),
      operationDone: () => outcomes.push('done'),
      operationFailed: () => outcomes.push('failed'),
      refusedForUnreadable: () => outcomes.push('refused'),
      leakRisk: () => outcomes.push('leak risk'),
    },
    refusals: { note: () => undefined },
    events: { record: (_resource, _object, text) => recorded.push(text) },
  });
  const prepared = {
    delete: async (
      _volume: PersistentVolume,
      _keeper: OurKeeper,
      { announce }: Pick<DeletionOptions, 'announce'>,
    ) => {
      await announce(found);
      await step('delete storage', deletion);
      return { withoutSecret };
    },
  };
  return {
    reclaimer,
    prepared,
    progress,
    steps,
    outcomes,
    records,
    reasons: () => recorded.map(({ reason }) => reason),
    recorded,
  };
}

const deleteObject = `delete ${held.metadata.uid}`;
const takeOff = `patch ${JSON.stringify({ op: 'replace', path: '/metadata/finalizers', value: [pvProtection] })}`;
const record = 'record v,w,linked';
const all = [record, 'delete storage', deleteObject, takeOff];
const terminating: PersistentVolume = { ...held, metadata: { ...held.metadata, deletionTimestamp: 'now' } };
const done = { kind: 'done' };
const reclaimed = { outcomes: ['volume deleted', 'remove success', 'done'], reasons: ['VolumeReclaimed'] };

test.each<{
  name: string;
  world: World;
  /** As the look has it. Default: held, and not terminating. */
  seen?: PersistentVolume;
  result: object;
  steps: readonly string[];
  outcomes: readonly string[];
  reasons?: readonly string[];
}>([
  { name: 'all goes well -> storage, object, finalizer', world: {}, result: done, steps: all, ...reclaimed },
  {
    name: 'volume is terminating already -> not deleted again',
    world: {},
    seen: terminating,
    result: done,
    steps: [record, 'delete storage', takeOff],
    ...reclaimed,
  },
  {
    name: 'object is gone when it is to be deleted -> counts as deleted',
    world: { onDelete: answer(404, 'NotFound'), onPatch: answer(404, 'NotFound') },
    result: done,
    steps: all,
    outcomes: ['volume deleted', 'remove gone', 'done'],
    reasons: ['VolumeReclaimed'],
  },
  {
    name: 'another volume has its name by now, so that the precondition does not hold -> looked at again, finalizer stays',
    world: { onDelete: answer(409, 'Conflict') },
    result: { kind: 'lookAgain' },
    steps: [record, 'delete storage', deleteObject],
    outcomes: ['volume deleted'],
  },
  {
    name: 'finalizers have changed since the look, so that the guard of the patch does not hold -> looked at again',
    world: { onPatch: guardFailed },
    result: { kind: 'lookAgain' },
    steps: all,
    outcomes: ['volume deleted', 'remove conflict'],
  },
  {
    name: 'storage system refuses -> nothing else is touched, tried again after 1 s',
    world: { deletion: new Error('snapshots depend on it') },
    result: { kind: 'requeueAfter', delay: 1_000, behind: true },
    steps: [record, 'delete storage'],
    outcomes: ['failed'],
    reasons: ['VolumeFailedDelete'],
  },
  {
    name: 'driver is away -> nothing else is touched, tried again after 1 s, and no Event',
    world: { deletion: new DriverNotReadyError('away') },
    result: { kind: 'requeueAfter', delay: 1_000, behind: true },
    steps: [record, 'delete storage'],
    outcomes: [],
  },
  {
    name: 'look has grown too old -> nothing is touched, looked at again at once, and no failure',
    world: { deletion: new LookTooOld(3_000, 2_000) },
    result: { kind: 'lookAgain' },
    steps: [record, 'delete storage'],
    outcomes: [],
  },
  {
    name: 'another volume over the storage has changed since the look -> nothing is deleted, looked at again',
    world: { notRecorded: new OvertakenError('changed') },
    result: { kind: 'lookAgain', reason: 'changed' },
    steps: [record],
    outcomes: [],
  },
  {
    name: 'the record is refused -> nothing is deleted, an Event says so, tried again after 1 s',
    world: { notRecorded: new Error('no annotation but its own') },
    result: { kind: 'requeueAfter', delay: 1_000, behind: true },
    steps: [record],
    outcomes: ['failed'],
    reasons: ['VolumeFailedDelete'],
  },
  { name: 'dry run -> nothing', world: { dryRun: true }, result: done, steps: [], outcomes: [] },
])('reclaim: $name', async ({ world, seen = held, result, steps, outcomes, reasons = [] }) => {
  const opened = open(world);
  expect(
    await opened.reclaimer.reclaim(
      { volume: seen, keeper, others: [volume({ name: 'w' })] },
      { deletion: opened.prepared, look: openLook() },
      signal,
    ),
  ).toMatchObject(result);
  expect(opened.steps).toEqual(steps);
  expect(opened.outcomes).toEqual(outcomes);
  expect(opened.reasons()).toEqual(reasons);
  expect(opened.progress.isConfirmed(held.metadata.uid)).toBe(outcomes.includes('volume deleted'));
});

test.each<{ name: string; world: World; steps: readonly string[]; outcomes?: readonly string[] }>([
  {
    name: 'all goes well -> object, finalizer',
    world: {},
    steps: ['get', deleteObject, takeOff],
    outcomes: ['remove success', 'done'],
  },
  {
    name: 'volume is terminating already -> not deleted again',
    world: { volume: terminating },
    steps: ['get', takeOff],
    outcomes: ['remove success', 'done'],
  },
  {
    name: 'finalizer is off already -> nothing left to write',
    world: { volume: { ...held, metadata: { ...held.metadata, finalizers: [pvProtection] } } },
    steps: ['get', deleteObject],
  },
  { name: 'volume is gone -> done', world: { volume: undefined }, steps: ['get'] },
  {
    name: 'another volume has its name -> left alone',
    world: { volume: volume({ name: 'v', uid: 'another', finalizers: [csiFinalizer] }) },
    steps: ['get'],
  },
])('finish: $name', async ({ world, steps, outcomes = [] }) => {
  const opened = open(world);
  expect(await opened.reclaimer.finish({ volume: held, keeper }, signal)).toEqual(done);
  expect([opened.steps, opened.outcomes]).toEqual([steps, outcomes]);
});

test.each([
  { name: 'deletion of the object', world: { onDelete: answer(500, 'InternalError') }, outcomes: [] },
  { name: 'patch', world: { onPatch: answer(500, 'InternalError') }, outcomes: ['remove error'] },
])('finish: $name fails -> thrown, so that the queue tries it again', async ({ world, outcomes }) => {
  const opened = open(world);
  await expect(opened.reclaimer.finish({ volume: held, keeper }, signal)).rejects.toThrow(/500/);
  expect(opened.outcomes).toEqual(outcomes);
});

test.each([
  { name: 'it took too long', reason: new ReconcileTimeout('took longer than 75000 ms'), isFailure: true },
  { name: 'the lease is lost', reason: new Error('lease lost'), isFailure: false },
])('deletion is aborted since $name -> an Event says so: $isFailure', async ({ reason, isFailure }) => {
  const opened = open({ deletion: reason });
  const reclaim = opened.reclaimer.reclaim(
    { volume: held, keeper, others: [] },
    { deletion: opened.prepared, look: openLook() },
    AbortSignal.abort(reason),
  );
  await (isFailure
    ? expect(reclaim).resolves.toEqual({ kind: 'requeueAfter', delay: 1_000, behind: true })
    : expect(reclaim).rejects.toBe(reason));
  expect(opened.reasons()).toEqual(isFailure ? ['VolumeFailedDelete'] : []);
});

test('X3: API server takes longer to answer than a look lasts -> finished all the same', async () => {
  const opened = open({ slow: 2_500 });
  expect(await opened.reclaimer.finish({ volume: held, keeper }, signal)).toEqual(done);
  expect(opened.steps).toEqual(['get', deleteObject, takeOff]);
});

test('a webhook denies the deletion of the object with 404 -> it keeps its finalizer, and is not recorded as reclaimed', async () => {
  const denied = answer(
    404,
    'NotFound',
    'admission webhook "v.example.com" denied the request: quota not found',
  );
  const { reclaimer, steps, outcomes, reasons } = open({ onDelete: denied });
  await expect(reclaimer.finish({ volume: held, keeper }, signal)).rejects.toBe(denied);
  expect([steps, outcomes, reasons()]).toEqual([['get', deleteObject], [], []]);
});

test('driver was called without the Secret that the volume names -> its storage is named as perhaps left behind', async () => {
  const { reclaimer, prepared, recorded, outcomes, records } = open({ withoutSecret: 'shop/nas' });
  await reclaimer.reclaim(
    { volume: held, keeper, others: [] },
    { deletion: prepared, look: openLook() },
    signal,
  );
  expect(recorded).toMatchObject([
    {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      note: 'csi.example.com reported the storage as deleted, but Secret shop/nas does not exist, without which some drivers delete nothing. Look for it on the storage: driver csi.example.com, handle "handle"',
    },
    {
      reason: 'VolumeReclaimed',
      note: 'csi.example.com reported the storage of the volume as deleted',
    },
  ]);
  expect(outcomes).toEqual(['volume deleted', 'leak risk', 'remove success', 'done']);
  expect(records).toStrictEqual([]);
});

test.each([
  { withoutSecret: undefined, recorded: 1 },
  { withoutSecret: 'shop/nas', recorded: 0 },
])(
  'Secret $withoutSecret was missing, and another finalizer was put on meanwhile -> recorded as deleted $recorded times',
  async ({ withoutSecret, recorded }) => {
    const { reclaimer, prepared, records } = open({
      onDelete: answer(409, 'Conflict'),
      volume: terminating,
      ...(withoutSecret === undefined ? {} : { withoutSecret }),
    });
    await reclaimer.reclaim(
      { volume: held, keeper, others: [] },
      { deletion: prepared, look: openLook() },
      signal,
    );
    await reclaimer.finish({ volume: terminating, keeper }, signal);
    expect(records).toHaveLength(recorded);
  },
);
