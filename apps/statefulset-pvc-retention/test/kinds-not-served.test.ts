import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type KubernetesObject, type PersistentVolumeClaim } from '@holdfast/core';
import { eventually, madeBy, type StagedController } from '@holdfast/scenario';
import {
  ageColumn,
  createFaultPlan,
  dnsSubdomain,
  garbageCollector,
  nameColumn,
  startApiServer,
  startController,
  type ControlPlane,
  type Fault,
} from '@holdfast/testing';
import type { WorkloadResource } from '../src/workload.ts';
import { handOf, judged, openStage, type Policy } from './stage.ts';

/** A kind of an operator's, as its custom resource definition serves it. */
const databases: WorkloadResource = {
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  namespaced: true,
};
const options = {
  workloads: 'apps/v1/StatefulSet,example.com/v1/Database',
  featureGates: 'DeletionGracePeriod=true',
};
const kind = 'example.com/v1/Database';
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
const ours = madeBy('statefulset-pvc-retention');

const notServed: Fault = {
  kind: 'status',
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
};
const forbidden: Fault = {
  kind: 'status',
  code: 403,
  reason: 'Forbidden',
  message: 'databases is forbidden',
};

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
}, 30_000);

async function open() {
  const plan = createFaultPlan();
  const server = await startApiServer({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    tls: false,
    faults: plan,
    resources: [
      {
        ...databases,
        singular: 'database',
        nameRule: dnsSubdomain,
        columns: [nameColumn, ageColumn],
        cells: ({ metadata }) => [metadata.name ?? '', ''],
      },
    ],
  });
  endings.push(() => server.stop());
  const plane: ControlPlane = {
    backend: 'embedded',
    url: server.url,
    kubeconfig: server.kubeconfig,
    restartApiServer: () => Promise.reject(new Error('not here')),
    stop: () => server.stop(),
  };
  const collector = await startController(plane, garbageCollector);
  endings.push(() => collector.stop());
  const stage = await openStage(plane);
  endings.push(() => stage.close());
  const namespace = await stage.namespace();
  const hand = handOf(stage, namespace);
  const tries = (): number => plan.injected.filter(({ request }) => request.resource === 'databases').length;
  return {
    plan,
    stage,
    hand,
    start: (featureGates = options.featureGates) =>
      stage.startController({ ...options, featureGates }, { clock: stage.fastClock() }),
    /** From now on the app can't read databases. */
    hide: (fault: Fault): void => {
      plan.on({ ...ours, resource: 'databases' }, fault);
      server.cutWatches();
    },
    /** Resolves when the app has tried to read databases again, and again. */
    triedInVain: async (): Promise<void> => {
      const before = tries();
      await eventually('databases are asked for in vain', () => tries() >= before + 3);
    },
    /** A claim that is to be deleted with database `db`, which is gone: it is marked and due, or tied. */
    createLeft: async (name: string, state: 'due' | 'tied'): Promise<PersistentVolumeClaim> => {
      const { metadata } = await hand.createClaim(name);
      const database = `Database.example.com/db/uid-of-db/${metadata.uid}`;
      const value =
        state === 'tied'
          ? { 'holdfast.dev/deleted-with': database }
          : {
              'holdfast.dev/delete-after': '2025-01-01T00:00:00Z',
              'holdfast.dev/delete-after-uid': metadata.uid,
              'holdfast.dev/delete-after-workload': database,
            };
      return stage.client.patch(persistentVolumeClaims, { namespace, name }, [
        { op: 'add', path: '/metadata/annotations', value },
      ]);
    },
    createDatabase: (name: string, replicas: number, annotations = {}): Promise<KubernetesObject> =>
      stage.client.create(databases, namespace, {
        metadata: { name, annotations },
        spec: {
          replicas,
          volumeClaimTemplates: [{ metadata: { name: 'data' } }],
          persistentVolumeClaimRetentionPolicy: both,
        },
      }),
    markOf: async (name: string): Promise<string | undefined> =>
      (await hand.findClaim(name))?.metadata.annotations?.['holdfast.dev/delete-after'],
  };
}

/** By kind, as the metrics have it. */
async function followed({ registry }: StagedController): Promise<Readonly<Record<string, number>>> {
  const metric = await registry.getSingleMetric('statefulset_pvc_retention_workload_kind_followed')?.get();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [String(labels['kind']), value]),
  );
}

describe.each([
  { why: 'is not served', fault: notServed },
  { why: 'is forbidden', fault: forbidden },
])('a kind of --workloads $why', ({ fault }) => {
  test('S6: at the start -> the other kind is worked on, and this one once it is there', async () => {
    const { plan, hand, hide, start, createDatabase } = await open();
    hide(fault);
    await createDatabase('db', 1);
    await hand.createClaim('data-db-0');
    const controller = await start();
    await hand.createSet({ replicas: 1, policy: both });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    expect(await hand.ownersOf('data-db-0')).toEqual([]);
    expect(await followed(controller)).toEqual({ 'apps/v1/StatefulSet': 1, 'example.com/v1/Database': 0 });
    plan.clear();
    await hand.owned('data-db-0', 'Database db*');
    expect(await followed(controller)).toEqual({ 'apps/v1/StatefulSet': 1, 'example.com/v1/Database': 1 });
  }, 60_000);

  test('S6: from some time on -> what it owns and what is marked stays so, through a restart of the controller too', async () => {
    const { plan, stage, hand, hide, start, triedInVain, createDatabase, markOf } = await open();
    await createDatabase('db', 1, { 'holdfast.dev/scale-down-grace': '24h' });
    await hand.createClaim('data-db-0');
    const first = await start();
    await hand.owned('data-db-0', 'Database db*');
    const uid = (await stage.client.get(databases, { namespace: hand.namespace, name: 'db' })).metadata.uid;
    const owner = { apiVersion: 'example.com/v1', kind: 'Database', name: 'db', uid, controller: true };
    // Condemned, and seen to be the database's.
    const { metadata } = await hand.createClaim('data-db-1', [owner]);
    const deleteAfter = new Date(Date.parse(metadata.creationTimestamp ?? '') + 3_600_000).toISOString();
    await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-db-1' }, [
      {
        op: 'add',
        path: '/metadata/annotations',
        value: { 'holdfast.dev/delete-after': deleteAfter, 'holdfast.dev/delete-after-uid': metadata.uid },
      },
    ]);
    await judged(hand);
    expect(await markOf('data-db-1')).toBe(deleteAfter);
    hide(fault);
    await triedInVain();
    await judged(hand);
    await first.stop();
    await start();
    await triedInVain();
    await judged(hand);
    expect(await hand.ownersOf('data-db-0')).toEqual(['Database db*']);
    expect(await hand.ownersOf('data-db-1')).toEqual(['Database db*']);
    expect(await markOf('data-db-1')).toBe(deleteAfter);
    plan.clear();
    await hand.createClaim('data-db-2', [owner]);
    await judged(hand);
    expect(await markOf('data-db-1')).toBe(deleteAfter);
  }, 60_000);

  test('S6: at the start -> claims that one of it left, tied or due, stay so until it is there', async () => {
    const { plan, hand, hide, start, triedInVain, createLeft } = await open();
    hide(fault);
    const due = await createLeft('data-db-0', 'due');
    const tied = await createLeft('data-db-1', 'tied');
    await start();
    await triedInVain();
    await judged(hand);
    expect(await hand.findClaim('data-db-0')).toEqual(due);
    expect(await hand.findClaim('data-db-1')).toEqual(tied);
    plan.clear();
    await hand.gone('data-db-0');
    expect(await hand.findClaim('data-db-1')).toEqual(tied);
  }, 60_000);

  test('S6: which the watch has not shown yet -> a claim that is due is kept until it is there', async () => {
    const { plan, hand, start, createLeft } = await open();
    const controller = await start();
    await eventually('databases are followed', async () => (await followed(controller))[kind] === 1);
    for (const verb of ['get', 'list'] as const) {
      plan.on({ ...ours, verb, resource: 'databases' }, fault);
    }
    const due = await createLeft('data-db-0', 'due');
    await eventually('the database is looked for in vain', () => plan.injected.length >= 3);
    expect(await hand.findClaim('data-db-0')).toEqual(due);
    plan.clear();
    await hand.gone('data-db-0');
  }, 60_000);

  test('S6: gate DeletionGracePeriod off by then -> a tie stays until the kind is there', async () => {
    const { plan, hand, hide, start, triedInVain, createLeft } = await open();
    hide(fault);
    const tied = await createLeft('data-db-0', 'tied');
    await start('');
    await triedInVain();
    await judged(hand);
    expect(await hand.findClaim('data-db-0')).toEqual(tied);
    plan.clear();
    await eventually(
      'it is untied',
      async () => (await hand.findClaim('data-db-0'))?.metadata.annotations === undefined,
    );
  }, 60_000);
});
