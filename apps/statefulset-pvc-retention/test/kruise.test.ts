import { beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type KubernetesObject } from '@holdfast/core';
import { useSuiteStage } from '@holdfast/scenario';
import type { WorkloadResource } from '../src/workload.ts';
import { claimCollector } from './faulty-app.ts';
import { handOf, openStage, settled, type Hand } from './stage.ts';
import { startWorkloadServer } from './workload-server.ts';

/** A StatefulSet of Kruise, as a CRD serves it: nothing is defaulted, nothing is dropped. */
const kruise: WorkloadResource = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

describe('a kind like StatefulSet, served as a custom resource', () => {
  const stage = useSuiteStage({
    startPlane: async () => (await startWorkloadServer(kruise)).plane,
    openStage,
    standIns: [claimCollector],
  });
  let hand: Hand;

  beforeAll(async () => {
    await stage().startController({ workloads: 'apps/v1/StatefulSet,apps.kruise.io/v1beta1/StatefulSet' });
    hand = handOf(stage(), await stage().namespace());
  });

  const create = (name: string, metadata: object, spec: object): Promise<KubernetesObject> =>
    stage().client.create(kruise, hand.namespace, {
      metadata: { name, ...metadata },
      spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec },
    });

  test('policy by annotations, reserved ordinals -> the wanted claims are owned, the condemned go', async () => {
    for (const ordinal of [0, 1, 2, 3]) {
      await hand.createClaim(`data-kr-${String(ordinal)}`);
    }
    const annotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/when-scaled': 'Delete' };
    const set = await create('kr', { annotations }, { replicas: 3, reserveOrdinals: [1] });
    for (const ordinal of [0, 2, 3]) {
      await hand.owned(`data-kr-${String(ordinal)}`, 'StatefulSet kr*');
    }
    const claim = await hand.findClaim('data-kr-0');
    expect(claim?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'StatefulSet',
        name: 'kr',
        uid: set.metadata.uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
    const before = await hand.dataOf('data-kr-0');
    await stage().client.delete(kruise, { namespace: hand.namespace, name: 'kr' });
    await hand.gone('data-kr-0', 'data-kr-2', 'data-kr-3');
    expect(before).toBeDefined();
  }, 60_000);

  test('an ordinal becomes reserved -> its claim goes with its pod, the next one is wanted', async () => {
    const policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
    const { metadata } = await create(
      'res',
      {},
      { replicas: 2, persistentVolumeClaimRetentionPolicy: policy },
    );
    const owner = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'StatefulSet',
      name: 'res',
      uid: metadata.uid,
    };
    for (const ordinal of ['0', '1', '2']) {
      await hand.createClaim(`data-res-${ordinal}`);
      await stage().client.create(
        { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
        hand.namespace,
        {
          metadata: { name: `res-${ordinal}`, ownerReferences: [{ ...owner, controller: true }] },
          spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
        },
      );
    }
    await hand.owned('data-res-2', 'Pod res-2*');
    await stage().client.patch(kruise, { namespace: hand.namespace, name: 'res' }, [
      { op: 'add', path: '/spec/reserveOrdinals', value: [1] },
    ]);
    await hand.owned('data-res-1', 'Pod res-1*');
    await hand.owned('data-res-2');
    await hand.deletePod('res-1', 0);
    await hand.gone('data-res-1');
  }, 60_000);

  test('a StatefulSet of apps and one of Kruise share a name -> neither gets the claim', async () => {
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
    await create('twin', {}, { replicas: 1, persistentVolumeClaimRetentionPolicy: policy });
    await hand.createSet({ name: 'twin', replicas: 1, policy });
    await settled(hand);
    await hand.createClaim('data-twin-0');
    await settled(hand);
    expect(await hand.ownersOf('data-twin-0')).toStrictEqual([]);
    const { items } = await stage().client.list(persistentVolumeClaims, { namespace: hand.namespace });
    expect(items.map(({ metadata }) => metadata.name)).toContain('data-twin-0');
  }, 60_000);
});
