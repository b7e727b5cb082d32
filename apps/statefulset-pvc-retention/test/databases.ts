import { afterAll, afterEach } from '@jest/globals';
import { persistentVolumeClaims, type KubernetesObject, type PersistentVolumeClaim } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startController, type Fault } from '@holdfast/testing';
import type { WorkloadResource } from '../src/workload.ts';
import { claimCollector, ours } from './faulty-app.ts';
import { handOf, openStage, type Policy } from './stage.ts';
import { startWorkloadServer } from './workload-server.ts';

/** A kind of an operator's, as its custom resource definition serves it. */
export const databases: WorkloadResource = {
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
export const kind = 'example.com/v1/Database';
export const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

const unended = new Set<() => Promise<void>>();
const endAll = async (): Promise<void> => {
  for (const end of unended) {
    await end();
  }
};
afterEach(endAll, 30_000);
// For tests that ran beside others and failed before they had what they opened.
afterAll(endAll, 30_000);

/**
 * An API server that serves the kind and checks nothing of it, beside StatefulSets. It ends with the test that opened
 * it; one that runs beside others has to end it, as jest runs no `afterEach` for that.
 */
export async function openDatabases() {
  const endings: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    unended.delete(end);
    for (const endPart of endings.splice(0).reverse()) {
      await endPart();
    }
  };
  unended.add(end);
  const plan = createFaultPlan();
  const { server, plane } = await startWorkloadServer(databases, plan);
  endings.push(() => server.stop());
  const collector = await startController(plane, claimCollector);
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
    /** From here on the app's watch of databases stands still, open but silent. */
    stall: async (): Promise<void> => {
      const fault: Fault = { kind: 'stallWatch', afterEvents: 0 };
      plan.on({ ...ours, verb: 'watch', resource: 'databases' }, fault);
      server.cutWatches();
      await eventually('the watch stands still', () => plan.injected.some((hit) => hit.fault === fault));
    },
    /** Resolves when the app has tried to read databases again, and again. */
    triedInVain: async (): Promise<void> => {
      const before = tries();
      await eventually('databases are asked for in vain', () => tries() >= before + 3);
    },
    /**
     * A claim that is to be deleted with a workload that is gone: it is marked and due, or tied.
     *
     * @param workload default: database `db`
     */
    createLeft: async (
      name: string,
      state: 'due' | 'tied',
      workload = 'Database.example.com/db/uid-of-db',
    ): Promise<PersistentVolumeClaim> => {
      const { metadata } = await hand.createClaim(name);
      const tie = `${workload}/${metadata.uid}`;
      const value =
        state === 'tied'
          ? { 'holdfast.dev/deleted-with': tie }
          : {
              'holdfast.dev/delete-after': '2025-01-01T00:00:00Z',
              'holdfast.dev/delete-after-uid': metadata.uid,
              'holdfast.dev/delete-after-workload': tie,
            };
      return stage.client.patch(persistentVolumeClaims, { namespace, name }, [
        { op: 'add', path: '/metadata/annotations', value },
      ]);
    },
    createDatabase: (
      name: string,
      replicas: number,
      annotations = {},
      template = 'data',
    ): Promise<KubernetesObject> =>
      stage.client.create(databases, namespace, {
        metadata: { name, annotations },
        spec: {
          replicas,
          volumeClaimTemplates: [{ metadata: { name: template } }],
          persistentVolumeClaimRetentionPolicy: both,
        },
      }),
    [Symbol.asyncDispose]: end,
  };
}
