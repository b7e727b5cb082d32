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
  type Storage,
} from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

type KubeObject = Parameters<Storage['put']>[1];

const claims = 'persistentvolumeclaims';
/** Faults meant for the controller, not for the hand of the test. */
const ours = { userAgent: /^pvc-protection\// };

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

async function open(plan: FaultPlan): Promise<{ plane: EmbeddedControlPlane; stage: Stage; hand: Hand }> {
  plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  stage = await openStage(plane);
  return { plane, stage, hand: handOf(stage.client, await stage.namespace()) };
}

/** Claims are protected; one in use is deleted and stays, an unused one goes, and the used one goes with its pod. */
async function playStory(hand: Hand, between: () => void = () => undefined): Promise<void> {
  await hand.createClaim('used');
  await hand.createClaim('unused');
  for (const name of ['used', 'unused']) {
    await eventually(`${name} is protected`, async () =>
      (await hand.finalizersOf(name)).includes(protection),
    );
  }
  between();
  await hand.createPod('web', 'used');
  await hand.deleteClaim('used');
  await hand.deleteClaim('unused');
  await eventually('unused is gone', () => hand.claimIsGone('unused'));
  expect(await hand.finalizersOf('used')).toEqual([protection]);
  between();
  await hand.deletePod('web');
  await eventually('used is gone', () => hand.claimIsGone('used'));
}

interface Case {
  readonly name: string;
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly schedule?: FaultSchedule;
}

const patches = { ...ours, verb: 'patch', resource: claims } as const;
const watches = { ...ours, verb: 'watch' } as const;
const lists = { ...ours, verb: 'list' } as const;

const cases: readonly Case[] = [
  {
    name: 'first patches answered 409',
    match: patches,
    fault: { kind: 'status', code: 409, reason: 'Conflict' },
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
    schedule: { nth: [1, 2, 3] },
  },
  { name: 'patches slow', match: patches, fault: { kind: 'delay', milliseconds: 100 } },
  {
    name: 'every watch cut after one event',
    match: watches,
    fault: { kind: 'cutWatch', afterEvents: 1 },
    schedule: { times: 4 },
  },
  { name: 'bookmarks withheld', match: watches, fault: { kind: 'withholdBookmarks' } },
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
    name: 'live list of pods fails twice',
    match: { ...lists, resource: 'pods' },
    fault: { kind: 'status', code: 500 },
    schedule: { nth: [2, 3] },
  },
];

function terminatingClaim(namespace: string, name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      uid: crypto.randomUUID(),
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: [protection],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Pending' },
  };
}

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
  test('watch of pods lags behind, a pod seen only live uses the claim -> held', async () => {
    const plan = createFaultPlan(1).on(
      { ...watches, resource: 'pods' },
      { kind: 'stallWatch', afterEvents: 0 },
    );
    const { plane: opened, stage: openedStage, hand } = await open(plan);
    await openedStage.startController({});
    await hand.createClaim('data');
    await eventually('data is protected', async () => (await hand.finalizersOf('data')).includes(protection));
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await eventually(
      'the controller asked for the pods',
      () => opened.apiServer.requests.count({ verb: 'list', resource: 'pods' }) >= 2,
    );
    await hand.createClaim('later');
    await eventually('later is protected', async () =>
      (await hand.finalizersOf('later')).includes(protection),
    );
    expect(await hand.finalizersOf('data')).toEqual([protection]);
  }, 30_000);

  test('many claims deleted at once in one namespace -> one live list of its pods', async () => {
    const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1));
    const names = Array.from({ length: 200 }, (_, index) => `data-${String(index)}`);
    await Promise.all(names.map((name) => hand.createClaim(name, { finalizers: [protection] })));
    await Promise.all(names.map((name) => hand.deleteClaim(name)));
    opened.apiServer.requests.clear();
    await openedStage.startController({});
    for (const name of names) {
      await eventually(`${name} is gone`, () => hand.claimIsGone(name));
    }
    const podLists = opened.apiServer.requests.all.filter(
      ({ verb, resource, userAgent }) =>
        verb === 'list' && resource === 'pods' && ours.userAgent.test(userAgent),
    );
    // The informer's is over all namespaces.
    expect(podLists.filter(({ namespace }) => namespace !== '')).toHaveLength(1);
  }, 30_000);

  test('10,000 terminating claims over 50 namespaces -> one live list of the pods of each', async () => {
    const listed: string[] = [];
    const plan = createFaultPlan(1).on(
      { ...lists, resource: 'pods' },
      { kind: 'call', run: ({ namespace }) => void listed.push(namespace) },
    );
    const { plane: opened, stage: openedStage } = await open(plan);
    const { storage } = opened.apiServer;
    const namespaces = await Promise.all(Array.from({ length: 50 }, () => openedStage.namespace()));
    for (const namespace of namespaces) {
      for (let index = 0; index < 200; index++) {
        // Straight into the store: 20,000 requests would show nothing more.
        storage.put('persistentvolumeclaims', terminatingClaim(namespace, `data-${String(index)}`));
      }
    }
    let gone = 0;
    storage.subscribe('persistentvolumeclaims', ({ type }) => (gone += type === 'DELETED' ? 1 : 0));
    await openedStage.startController({});
    await eventually('all are gone', () => gone === 10_000, 150_000);
    // The informer streams its list, which is a watch.
    expect(listed.toSorted()).toEqual(namespaces.toSorted());
  }, 180_000);

  test('a policy refuses the patch (422) -> counted as an error, tried again, and done when it is allowed', async () => {
    const message = 'ValidatingAdmissionPolicy "keep-out" denied request: not now';
    const plan = createFaultPlan(1).on(patches, { kind: 'status', code: 422, reason: 'Invalid', message });
    const { stage: openedStage, hand } = await open(plan);
    const { registry } = await openedStage.startController({});
    await hand.createClaim('data');
    const errors = /pvc_protection_finalizer_total\{operation="add",result="error"\} [1-9]/;
    await eventually('the refusal is counted', async () => errors.test(await registry.metrics()));
    expect(await hand.finalizersOf('data')).toEqual([]);
    plan.clear();
    await eventually('data is protected', async () => (await hand.finalizersOf('data')).includes(protection));
  }, 30_000);

  test('settled cluster -> no write', async () => {
    const { plane: opened, stage: openedStage, hand } = await open(createFaultPlan(1));
    await openedStage.startController({});
    await playStory(hand);
    await hand.createClaim('data');
    await eventually('data is protected', async () => (await hand.finalizersOf('data')).includes(protection));
    opened.apiServer.requests.clear();
    opened.apiServer.cutWatches();
    await hand.createClaim('marker');
    await eventually('marker is protected', async () =>
      (await hand.finalizersOf('marker')).includes(protection),
    );
    const writes = opened.apiServer.requests.all.filter(
      ({ verb, userAgent }) => ours.userAgent.test(userAgent) && !['get', 'list', 'watch'].includes(verb),
    );
    expect(writes.map(({ name }) => name)).toEqual(['marker']);
  }, 30_000);
});
