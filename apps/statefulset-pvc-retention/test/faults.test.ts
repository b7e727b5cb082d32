import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import {
  createFaultPlan,
  garbageCollector,
  kubelet,
  startController,
  startEmbeddedControlPlane,
  statefulSetController,
  type EmbeddedControlPlane,
  type Fault,
  type FaultMatch,
  type FaultPlan,
  type FaultSchedule,
  type RunningController,
} from '@holdfast/testing';
import { handOf, judged, openStage, settled, type Hand, type Policy, type Stage } from './stage.ts';

/** Faults meant for the controller, not for the hand of the test nor for the stand-ins. */
const ours = { userAgent: /^statefulset-pvc-retention\// };
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;
let standIns: readonly RunningController[] = [];

afterEach(async () => {
  await stage?.close();
  await Promise.all(standIns.map((standIn) => standIn.stop()));
  standIns = [];
  await plane?.stop();
}, 30_000);

async function open(
  plan: FaultPlan,
  withStandIns = true,
): Promise<{ plane: EmbeddedControlPlane; stage: Stage; hand: Hand }> {
  plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  standIns = [await startController(plane, garbageCollector)];
  if (withStandIns) {
    standIns = [
      ...standIns,
      await startController(plane, statefulSetController({ retention: false })),
      await startController(plane, kubelet()),
    ];
  }
  stage = await openStage(plane);
  return { plane, stage, hand: handOf(stage, await stage.namespace()) };
}

/** Owned, scaled down: one goes; up again: a new one; turned to Retain and the set deleted: they stay. */
async function playStory(hand: Hand, between: () => void = () => undefined): Promise<void> {
  await hand.createSet({ replicas: 2, policy: both });
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-0', 'StatefulSet web*');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const first = await hand.dataOf('data-web-0');
  between();
  await hand.scale(1);
  await hand.gone('data-web-1');
  between();
  await hand.scale(2);
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const second = await hand.dataOf('data-web-1');
  between();
  await hand.setPolicy({ whenDeleted: 'Retain', whenScaled: 'Retain' });
  await hand.owned('data-web-0');
  await hand.owned('data-web-1');
  await hand.deleteSet('Background');
  await hand.running();
  await settled(hand);
  expect([await hand.dataOf('data-web-0'), await hand.dataOf('data-web-1')]).toEqual([first, second]);
}

const patches = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;
const looks = { ...ours, verb: 'get', resource: 'statefulsets' } as const;
const watches = { ...ours, verb: 'watch' } as const;

interface Case {
  readonly name: string;
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly schedule?: FaultSchedule;
}

const cases: readonly Case[] = [
  {
    name: 'first patches answered 409',
    match: patches,
    fault: { kind: 'status', code: 409, reason: 'Conflict' },
    schedule: { times: 3 },
  },
  {
    name: 'patches answered 500',
    match: patches,
    fault: { kind: 'status', code: 500 },
    schedule: { nth: [1, 3] },
  },
  {
    name: 'connection reset before the patch',
    match: patches,
    fault: { kind: 'reset', when: 'before' },
    schedule: { nth: [1, 4] },
  },
  {
    name: 'connection reset after the patch took effect',
    match: patches,
    fault: { kind: 'reset', when: 'after' },
    schedule: { nth: [1, 2, 4] },
  },
  {
    name: 'live looks fail',
    match: looks,
    fault: { kind: 'status', code: 500 },
    schedule: { nth: [1, 2, 5] },
  },
  { name: 'live looks slow', match: looks, fault: { kind: 'delay', milliseconds: 50 } },
  {
    name: 'every watch cut after one event',
    match: watches,
    fault: { kind: 'cutWatch', afterEvents: 1 },
    schedule: { times: 6 },
  },
  { name: 'every event sent twice', match: watches, fault: { kind: 'duplicateEvents' } },
  {
    name: 'first lists and watches answered 503',
    match: { ...ours, verb: ['list', 'watch'] },
    fault: { kind: 'status', code: 503 },
    schedule: { times: 2 },
  },
];

describe('the story holds', () => {
  test.each(cases)(
    '$name',
    async ({ match, fault, schedule }) => {
      const plan = createFaultPlan(1).on(match, fault, schedule);
      const { stage: opened, hand } = await open(plan);
      await opened.startController({});
      await playStory(hand);
      expect(plan.injected.length).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('what must not happen does not', () => {
  test('cache of sets stands still, the set is orphaned -> the live look says so, no reference is added', async () => {
    const plan = createFaultPlan(1);
    const { plane: opened, stage: openedStage, hand } = await open(plan, false);
    await openedStage.startController({});
    await hand.createSet({ replicas: 1, policy: both });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    await standStill(opened, plan);
    await hand.deleteSet('Orphan');
    await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
    opened.apiServer.requests.clear();
    const late = await hand.createClaim('data-web-1');
    await lookedAtSet(opened);
    expect(await hand.ownersOf('data-web-0')).toEqual([]);
    expect(await hand.dataOf('data-web-1')).toBe(late.metadata.uid);
    expect(await hand.ownersOf('data-web-1')).toEqual([]);
  }, 60_000);

  test('cache of sets stands still, scaled up meanwhile -> no claim is given to its pod', async () => {
    const plan = createFaultPlan(1);
    const { plane: opened, stage: openedStage, hand } = await open(plan);
    await openedStage.startController({});
    await hand.createSet({ replicas: 1, policy: { whenDeleted: 'Retain', whenScaled: 'Delete' } });
    await hand.running('web-0');
    await judged(hand);
    await standStill(opened, plan);
    opened.apiServer.requests.clear();
    await hand.scale(2);
    await hand.running('web-0', 'web-1');
    await lookedAtSet(opened);
    expect(await hand.ownersOf('data-web-1')).toEqual([]);
  }, 60_000);

  /** The set vanishes in the moment between the live look and the write. */
  test('set orphaned and gone between look and write -> the reference is taken back, the claim survives', async () => {
    const plan = createFaultPlan(1);
    const { stage: opened, hand } = await open(plan, false);
    await hand.createSet({ replicas: 1, policy: both });
    const claim = await hand.createClaim('data-web-0');
    const [collector] = standIns;
    plan.on(
      { ...patches, name: 'data-web-0' },
      {
        kind: 'call',
        run: async () => {
          await hand.deleteSet('Orphan');
          await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
          await collector?.pause();
        },
      },
      { times: 1 },
    );
    await opened.startController({});
    await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
    await eventually('both writes were made', async () => {
      const found = await hand.findClaim('data-web-0');
      const isTouched = found?.metadata.resourceVersion !== claim.metadata.resourceVersion;
      return isTouched && (await hand.ownersOf('data-web-0'))?.length === 0;
    });
    collector?.resume();
    await settled(hand);
    expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
  }, 60_000);
});

/** From here on the controller hears no more of sets. */
async function standStill({ apiServer }: EmbeddedControlPlane, plan: FaultPlan): Promise<void> {
  plan.on({ ...watches, resource: 'statefulsets' }, { kind: 'stallWatch', afterEvents: 0 });
  apiServer.cutWatches();
  await eventually('the watch of sets stands still', () => plan.injected.length > 0);
}

/** Twice, since after the first look the controller has had its say. */
function lookedAtSet({ apiServer }: EmbeddedControlPlane): Promise<void> {
  return eventually(
    'the controller looked at the set twice',
    () =>
      apiServer.requests.all.filter(
        ({ verb, resource, name, userAgent }) =>
          verb === 'get' && resource === 'statefulsets' && name === 'web' && ours.userAgent.test(userAgent),
      ).length >= 2,
  );
}

test('1,000 settled sets of 3, controller started and watches cut -> not one write, nor a live look', async () => {
  const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1), false);
  await standIns[0]?.pause();
  const sets = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      hand.createSet({ name: `set-${String(index)}`, replicas: 3, policy: both }),
    ),
  );
  for (const { metadata } of sets) {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: metadata.name, uid: metadata.uid };
    await Promise.all(
      [0, 1, 2].map((ordinal) =>
        hand.createClaim(`data-${metadata.name}-${String(ordinal)}`, [{ ...owner, controller: true }]),
      ),
    );
  }
  opened.apiServer.requests.clear();
  await openedStage.startController({});
  await judged(hand);
  opened.apiServer.cutWatches();
  await judged(hand);
  const requests = opened.apiServer.requests.all.filter(
    ({ userAgent, verb, resource }) =>
      ours.userAgent.test(userAgent) && !['list', 'watch'].includes(verb) && resource !== 'events',
  );
  expect(requests.filter(({ name }) => !name.includes('marker-'))).toEqual([]);
  expect(requests.length).toBeGreaterThan(0);
  const { items } = await openedStage.client.list(persistentVolumeClaims, { namespace: hand.namespace });
  expect(items.filter(({ metadata }) => metadata.name.startsWith('data-set-'))).toHaveLength(3_000);
}, 120_000);
