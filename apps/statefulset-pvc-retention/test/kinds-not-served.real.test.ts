import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { ApiError } from '@holdfast/runtime';
import { eventually, type StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { handOf, judged, openStage, type Hand, type Policy, type Stage } from './stage.ts';

const options = {
  backend: 'real',
  controllers: ['garbage-collector-controller'],
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
} as const;
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
const databases: ApiResource<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  namespaced: true,
};
const definitions: ApiResource<KubernetesObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

describe.each(['1.36', '1.31'] as const)('custom resource definition on %s', (release) => {
  const runs = controlPlaneMissing({ ...options, release }) === undefined ? test : test.skip;
  let plane: ControlPlane | undefined;
  let stage: Stage;
  let hand: Hand;

  beforeAll(async () => {
    if (runs === test) {
      plane = await startControlPlane({ ...options, release });
      stage = await openStage(plane);
      hand = handOf(stage, await stage.namespace());
    }
  }, 90_000);

  afterAll(async () => {
    if (plane !== undefined) {
      await stage.close();
      await plane.stop();
    }
  }, 60_000);

  const install = async (): Promise<void> => {
    await stage.client.create(definitions, undefined, {
      metadata: { name: 'databases.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await eventually('databases are served', async () => {
      try {
        await stage.client.list(databases, { namespace: hand.namespace });
        return true;
      } catch (error) {
        // Of a kind that is not served the API server says so in plain text, with no Status.
        if (error instanceof ApiError && error.code === 404) {
          return false;
        }
        throw error;
      }
    });
  };
  const isFollowed = async ({ registry }: StagedController): Promise<boolean> => {
    const metric = await registry.getSingleMetric('statefulset_pvc_retention_workload_kind_followed')?.get();
    return metric?.values.find(({ labels }) => labels['kind'] === 'example.com/v1/Database')?.value === 1;
  };
  const start = () =>
    stage.startController(
      { workloads: 'apps/v1/StatefulSet,example.com/v1/Database' },
      { clock: stage.fastClock() },
    );

  runs(
    'S6: installed later -> its sets are looked after; removed -> StatefulSets are, and no claim loses its owner by us',
    async () => {
      const controller = await start();
      await hand.createSet({ replicas: 1, policy: both });
      await hand.createClaim('data-web-0');
      await hand.owned('data-web-0', 'StatefulSet web*');
      expect(await isFollowed(controller)).toBe(false);

      await install();
      const { metadata } = await stage.client.create(databases, hand.namespace, {
        metadata: { name: 'db' },
        spec: {
          replicas: 1,
          volumeClaimTemplates: [{ metadata: { name: 'data' } }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
        },
      });
      const owner = {
        apiVersion: 'example.com/v1',
        kind: 'Database',
        name: 'db',
        uid: metadata.uid,
        controller: true,
      };
      await hand.createClaim('data-db-0', [owner]);
      // The policy keeps it, so the database is not to own it.
      await hand.owned('data-db-0');
      expect(await isFollowed(controller)).toBe(true);
      const kept = await hand.createClaim('data-db-1');

      await stage.client.delete(definitions, { name: 'databases.example.com' });
      await eventually('databases are not followed any more', async () => !(await isFollowed(controller)));
      await controller.stop();
      const next = await start();
      await judged(hand);
      expect(await isFollowed(next)).toBe(false);
      expect(await hand.dataOf('data-db-1')).toBe(kept.metadata.uid);
      expect(await hand.ownersOf('data-db-0')).toStrictEqual([]);

      await install();
      await eventually('databases are followed again', () => isFollowed(next));
      await judged(hand);
      expect(await hand.dataOf('data-db-1')).toBe(kept.metadata.uid);
      expect(await hand.ownersOf('data-web-0')).toEqual(['StatefulSet web*']);
    },
    120_000,
  );
});
