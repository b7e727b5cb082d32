import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type Fault,
  type FaultMatch,
  type FaultPlan,
  type FaultSchedule,
} from '@holdfast/testing';
import { handOf, openStage, settled, type Hand, type Stage } from './stage.ts';

/** Faults meant for the controller, not for the hand of the test. */
const ours = { userAgent: /^retroactive-default-sc\// };

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

async function open(plan: FaultPlan): Promise<{ plane: EmbeddedControlPlane; stage: Stage; hand: Hand }> {
  plane = await startEmbeddedControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'], faults: plan });
  stage = await openStage(plane);
  return { plane, stage, hand: handOf(stage.client, await stage.namespace()) };
}

/** Claims wait for a default; it comes, moves to another class, and each claim keeps what it got. */
async function playStory(hand: Hand, between: () => void = () => undefined): Promise<void> {
  const has = (name: string, className: string): Promise<void> =>
    eventually(`${name} has ${className}`, async () => (await hand.classOf(name)) === className);
  await hand.createClaim('one');
  await hand.createClaim('empty', { className: '' });
  between();
  await hand.createClass('gold');
  await has('one', 'gold');
  between();
  await hand.mark('gold', 'false');
  await hand.createClaim('two');
  between();
  await hand.createClass('silver');
  await has('two', 'silver');
  expect(await hand.classOf('one')).toBe('gold');
  expect(await hand.classOf('empty')).toBe('');
}

interface Case {
  readonly name: string;
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly schedule?: FaultSchedule;
  /** The fault comes when the caches are full, and watches are begun anew then. */
  readonly later?: true;
}

const patches = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;
const watches = { ...ours, verb: 'watch' } as const;
const lists = { ...ours, verb: 'list' } as const;
const changed = 'the server rejected our request due to an error in our request';

const cases: readonly Case[] = [
  {
    name: 'first patches answered 409',
    match: patches,
    fault: { kind: 'status', code: 409, reason: 'Conflict' },
    schedule: { times: 3 },
  },
  {
    name: 'first patches answered 422 of a guard',
    match: patches,
    fault: { kind: 'status', code: 422, reason: 'Invalid', message: changed },
    schedule: { times: 3 },
  },
  {
    name: 'first patches answered 500',
    match: patches,
    fault: { kind: 'status', code: 500 },
    schedule: { times: 3 },
  },
  {
    name: 'patches answered 429 with Retry-After',
    match: patches,
    fault: { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 },
    schedule: { nth: [1, 3] },
  },
  {
    name: 'connection reset before the patch',
    match: patches,
    fault: { kind: 'reset', when: 'before' },
    schedule: { nth: [1, 3] },
  },
  {
    name: 'connection reset after the patch took effect',
    match: patches,
    fault: { kind: 'reset', when: 'after' },
    schedule: { nth: [1, 2] },
  },
  { name: 'patches slow', match: patches, fault: { kind: 'delay', milliseconds: 100 } },
  {
    name: 'every watch cut after one event',
    match: watches,
    fault: { kind: 'cutWatch', afterEvents: 1 },
    schedule: { times: 4 },
  },
  { name: 'bookmarks withheld', match: watches, fault: { kind: 'withholdBookmarks' }, later: true },
  { name: 'every event sent twice', match: watches, fault: { kind: 'duplicateEvents' } },
  {
    name: 'first watches answered 410',
    match: watches,
    fault: { kind: 'status', code: 410, reason: 'Expired' },
    schedule: { times: 2 },
  },
  {
    name: 'first lists answered 503',
    match: lists,
    fault: { kind: 'status', code: 503 },
    schedule: { times: 2 },
  },
  {
    name: 'live list of classes fails twice',
    match: { ...lists, resource: 'storageclasses' },
    fault: { kind: 'status', code: 500 },
    schedule: { nth: [2, 3] },
  },
  {
    name: 'dry run at start answered 500',
    match: { userAgent: /^rehearsal\// },
    fault: { kind: 'status', code: 500 },
    schedule: { times: 1 },
  },
  {
    name: 'dry run at start cut off',
    match: { userAgent: /^rehearsal\// },
    fault: { kind: 'reset', when: 'before' },
    schedule: { times: 1 },
  },
];

describe('the story holds', () => {
  test.each(cases)(
    '$name',
    async ({ match, fault, schedule, later = false }) => {
      const plan = createFaultPlan(1);
      const { plane: openedPlane, stage: opened, hand } = await open(plan);
      if (!later) {
        plan.on(match, fault, schedule);
      }
      await opened.startController({});
      if (later) {
        await hand.createClass('early');
        await settled(hand);
        await hand.deleteClass('early');
        plan.on(match, fault, schedule);
        openedPlane.apiServer.cutWatches();
      }
      await playStory(hand);
      expect(plan.injected.length).toBeGreaterThan(0);
    },
    30_000,
  );

  test('all watches cut and history compacted between steps', async () => {
    const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1));
    await openedStage.startController({});
    await playStory(hand, () => {
      opened.apiServer.compact();
      opened.apiServer.cutWatches();
    });
  }, 30_000);
});

describe('what must not happen does not', () => {
  test('watch of classes lags behind, the default was unmarked since -> no claim gets it', async () => {
    const plan = createFaultPlan(1);
    const { plane: opened, stage: openedStage, hand } = await open(plan);
    await hand.createClass('gold');
    await openedStage.startController({});
    await settled(hand);
    plan.on({ ...watches, resource: 'storageclasses' }, { kind: 'stallWatch', afterEvents: 0 });
    opened.apiServer.cutWatches();
    // From now on the cache has gold as the default, whatever happens.
    await eventually('the watch of classes is stalled', () => plan.injected.length > 0);
    await hand.mark('gold', 'false');
    opened.apiServer.requests.clear();
    await hand.createClaim('data');
    const lists = () => opened.apiServer.requests.count({ verb: 'list', resource: 'storageclasses' });
    await eventually('the controller asked for the classes', () => lists() >= 1);
    await hand.createClaim('more');
    await eventually('and again, for the next claim', () => lists() >= 2);
    expect([await hand.classOf('data'), await hand.classOf('more')]).toEqual([undefined, undefined]);
    // No event tells the controller of the new default; that it looks again does.
    await hand.createClass('silver');
    await eventually('data has silver', async () => (await hand.classOf('data')) === 'silver');
  }, 30_000);

  test('claim gets a class, a volume or the beta annotation before our patch arrives -> ours does nothing', async () => {
    const plan = createFaultPlan(1);
    const { stage: opened, hand } = await open(plan);
    const rivals = {
      class: [{ op: 'add', path: '/spec/storageClassName', value: 'mine' }],
      volume: [{ op: 'add', path: '/spec/volumeName', value: 'pv-1' }],
      // The annotation can't change, but for the API server one that is empty is as if there were none.
      annotation: [
        {
          op: 'add',
          path: '/metadata/annotations',
          value: { 'volume.beta.kubernetes.io/storage-class': '' },
        },
      ],
    } as const;
    for (const name of ['class', 'volume', 'annotation'] as const) {
      await hand.createClaim(name);
      plan.on(
        { ...patches, name },
        { kind: 'call', run: () => hand.patchClaim(name, rivals[name]) },
        { times: 1 },
      );
    }
    const controller = await opened.startController({});
    await hand.createClass('gold');
    await eventually('all three were tried', () => plan.injected.length === 3);
    await settled(hand);
    expect(await hand.classOf('class')).toBe('mine');
    expect(await hand.classOf('volume')).toBeUndefined();
    expect(await hand.classOf('annotation')).toBeUndefined();
    // Somebody else was faster: that is no error.
    expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_errors_total 0$/m);
  }, 30_000);

  test('many claims wait as a default comes -> one patch each, and few lists of classes', async () => {
    const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1));
    const controller = await openedStage.startController({});
    const names = Array.from({ length: 300 }, (_, index) => `data-${String(index)}`);
    await Promise.all(names.map((name) => hand.createClaim(name)));
    await eventually('all are seen to wait', async () =>
      /^retroactive_storageclass_waiting_claims 300$/m.test(await controller.registry.metrics()),
    );
    opened.apiServer.requests.clear();
    await hand.createClass('gold');
    await eventually('none waits', async () =>
      /^retroactive_storageclass_waiting_claims 0$/m.test(await controller.registry.metrics()),
    );
    const { requests } = opened.apiServer;
    const patched = requests.all.filter(
      ({ verb, userAgent }) => verb === 'patch' && ours.userAgent.test(userAgent),
    );
    expect(patched.map(({ name }) => name).sort()).toEqual(names.toSorted());
    expect(requests.count({ verb: 'list', resource: 'storageclasses' })).toBeLessThanOrEqual(5);
    expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_total 300$/m);
  }, 30_000);

  test('settled cluster, classes and claims change without need -> no write, no live list', async () => {
    const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1));
    await openedStage.startController({});
    await playStory(hand);
    opened.apiServer.requests.clear();
    opened.apiServer.cutWatches();
    await hand.mark('gold', 'true');
    await hand.mark('gold', 'false');
    await hand.patchClaim('one', [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
    await hand.createClaim('marker');
    await eventually('marker has a class', async () => (await hand.classOf('marker')) !== undefined);
    const requests = opened.apiServer.requests.all.filter(
      ({ verb, resource, userAgent }) =>
        ours.userAgent.test(userAgent) && verb !== 'watch' && resource !== 'events',
    );
    expect(requests.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['list ', 'patch marker']);
  }, 30_000);
});
