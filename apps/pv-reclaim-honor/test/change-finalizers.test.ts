import { expect, test } from '@jest/globals';
import { ApiError, createFights, type EventText } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createChangeFinalizers, fightPause } from '../src/change-finalizers.ts';
import type { FinalizerChange } from '../src/decide/decision.ts';
import { createOwnWrites } from '../src/own-writes.ts';
import {
  csiFinalizer,
  hostPathFinalizer,
  inTreeFinalizer,
  pvProtection,
  volume,
  type VolumeShape,
} from './objects.ts';

/** Takes a finalizer off, by default that of drivers, and returns what is recorded and counted. */
async function takeOff(
  reason: FinalizerChange['reason'],
  shape: VolumeShape = {},
  dryRun = false,
  finalizer = csiFinalizer,
) {
  const clock = createFakeClock();
  const recorded: EventText[] = [];
  const count = { risks: 0, lines: 0 };
  const object = volume({
    finalizers: [csiFinalizer, pvProtection],
    claimUid: 'claim',
    deleted: true,
    ...shape,
  });
  const change = createChangeFinalizers({
    writeFinalizers: () => Promise.resolve({ kind: 'written', object }),
    ownWrites: createOwnWrites(clock),
    fights: createFights({ clock, pause: fightPause }),
    dryRun,
    logger: { info: () => undefined, warn: () => (count.lines += 1) },
    metrics: { fight: () => undefined, leakRisk: () => (count.risks += 1) },
    events: { record: (_resource, _object, text) => recorded.push(text) },
  });
  await change(
    { kind: 'changeFinalizers', volume: object, add: [], remove: [finalizer], reason },
    new AbortController().signal,
  );
  return { recorded, count };
}

/** Its undo window is over, and so it is being deleted. */
const undoable: VolumeShape = { policy: 'Retain', annotations: { 'holdfast.dev/reclaim-policy': 'Delete' } };

test.each<{ reason: FinalizerChange['reason']; why: string; shape?: VolumeShape }>([
  { reason: 'GateOff', why: 'HonorPVReclaimPolicy is off' },
  { reason: 'NobodyCanDelete', why: 'with these flags' },
  { reason: 'PolicyNotDelete', why: 'counts only with gate ReclaimGracePeriod', shape: undoable },
  { reason: 'GateOff', why: 'HonorPVReclaimPolicy is off', shape: undoable },
  { reason: 'NeverBound', why: 'spec.claimRef names no claim', shape: { claimUid: null } },
])(
  '$reason ($why): volume that is being deleted is let go of -> its storage is named as left behind',
  async ({ reason, why, shape }) => {
    const { recorded, count } = await takeOff(reason, shape);
    expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeMayLeak' }]);
    expect(recorded[0]?.note).toContain(why);
    expect(recorded[0]?.note).toContain('driver csi.example.com, handle "handle"');
    expect(count).toEqual({ risks: 1, lines: 1 });
  },
);

test('a finalizer of kube-controller-manager stays that does not wait for the folder -> named as left behind', async () => {
  const shape: VolumeShape = {
    finalizers: [inTreeFinalizer, hostPathFinalizer],
    source: { hostPath: { path: '/tmp/hostpath_pv/v' } },
  };
  const { recorded, count } = await takeOff('GateOff', shape, false, hostPathFinalizer);
  expect(recorded[0]?.note).toContain('/tmp/hostpath_pv/v');
  expect(count).toEqual({ risks: 1, lines: 1 });
});

test.each<{ what: string; reason?: FinalizerChange['reason']; shape?: VolumeShape; dryRun?: boolean }>([
  { what: 'not being deleted', shape: { deleted: false } },
  { what: 'policy Retain', shape: { policy: 'Retain' } },
  { what: 'no claim ever had it', shape: { claimUid: null } },
  { what: 'no claim has it, policy unknown', reason: 'NeverBound', shape: { claimUid: null, policy: 'x' } },
  {
    what: 'a deletion of its storage by another holds it',
    shape: { finalizers: [csiFinalizer, inTreeFinalizer] },
  },
  { what: 'retained', reason: 'PolicyNotDelete', shape: { policy: 'Retain' } },
  { what: 'dry run', dryRun: true },
])('$what -> no warning', async ({ reason = 'GateOff', shape, dryRun }) => {
  const { recorded, count } = await takeOff(reason, shape, dryRun);
  expect(recorded).toStrictEqual([]);
  expect(count).toEqual({ risks: 0, lines: 0 });
});

/** Puts a finalizer on, and the API server answers with this error. Returns the notes of the Events. */
async function refused(error: unknown): Promise<readonly string[]> {
  const clock = createFakeClock();
  const notes: string[] = [];
  const change = createChangeFinalizers({
    writeFinalizers: () => Promise.resolve({ kind: 'failed', error }),
    ownWrites: createOwnWrites(clock),
    fights: createFights({ clock, pause: fightPause }),
    dryRun: false,
    logger: { info: () => undefined, warn: () => undefined },
    metrics: { fight: () => undefined, leakRisk: () => undefined },
    events: { record: (_resource, _object, { reason, note }) => notes.push(`${reason}: ${note}`) },
  });
  const object = volume({ finalizers: [pvProtection], claimUid: 'claim' });
  const held = change(
    { kind: 'changeFinalizers', volume: object, add: [csiFinalizer], remove: [], reason: 'Bound' },
    new AbortController().signal,
  );
  await expect(held).rejects.toBe(error);
  return notes;
}

test('annotations of the volume have no room for the record -> an Event says that it is not held, and why', async () => {
  const message = 'metadata.annotations: Too long: may not be more than 262144 bytes';
  const [note] = await refused(new ApiError('PATCH /', 422, { reason: 'Invalid', message }));
  expect(note).toMatch(/^VolumeMayLeak: The volume is not held/);
  expect(note).toContain(message);
});

test('webhook denies the hold without a code and a reason, as many do -> an Event says so', async () => {
  const message = 'admission webhook "policy.example.com" denied the request: no finalizers';
  const [note] = await refused(new ApiError('PATCH /', 400, { message }));
  expect(note).toContain(message);
});

test.each([
  { what: 'too busy', error: new ApiError('PATCH /', 429, { reason: 'TooManyRequests' }) },
  { what: 'cut off', error: new Error('other side closed') },
])('hold fails ($what), which says nothing about the next try -> no Event', async ({ error }) => {
  expect(await refused(error)).toStrictEqual([]);
});
