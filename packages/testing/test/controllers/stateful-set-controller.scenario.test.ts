import { expect, jest } from '@jest/globals';
import {
  namespaces,
  persistentVolumeClaims,
  pods,
  statefulSets,
  type KubernetesObject,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { kubelet, terminatePod } from '../../src/controllers/kubelet.ts';
import { controllerRevisions } from '../../src/controllers/stateful-set/revisions.ts';
import { statefulSetController } from '../../src/controllers/stateful-set/stateful-set-controller.ts';
import { onEveryStage, type Stage } from './stages.ts';
import { until } from '../real/until.ts';

jest.setTimeout(60_000);

onEveryStage(
  'StatefulSet controller',
  {
    controllers: ['statefulset-controller', 'garbage-collector-controller'],
    // No claim protection runs here: what is deleted is to go.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    standIns: () => [statefulSetController(), garbageCollector],
    extras: () => [kubelet()],
  },
  (stage, scenario) => {
    scenario(
      'created, ordinals start at 3 -> pods and claims of those ordinals, with names, labels and owners',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2, ordinals: { start: 3 } });
        await world.settles(['s-3 first', 's-4 first'], ['data-s-3', 'data-s-4']);
        const pod = await world.pod('s-3');
        expect(pod.metadata.labels).toEqual({
          app: 's',
          'apps.kubernetes.io/pod-index': '3',
          'controller-revision-hash': expect.stringMatching(/^s-/),
          'statefulset.kubernetes.io/pod-name': 's-3',
        });
        expect(pod.metadata.ownerReferences).toEqual([
          {
            apiVersion: 'apps/v1',
            kind: 'StatefulSet',
            name: 's',
            uid: (await world.set()).metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
        expect(pod.spec).toMatchObject({ hostname: 's-3', subdomain: 'service' });
        expect(pod.spec?.volumes?.[0]).toEqual({
          name: 'data',
          persistentVolumeClaim: { claimName: 'data-s-3' },
        });
        const claim = await world.claim('data-s-3');
        expect(claim.metadata.labels).toEqual({ app: 's', kept: 'yes' });
        expect(claim.metadata.ownerReferences).toBeUndefined();
        const { status, metadata } = await world.set();
        const revision = pod.metadata.labels?.['controller-revision-hash'];
        expect(status).toEqual({
          observedGeneration: metadata.generation,
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          currentReplicas: 2,
          updatedReplicas: 2,
          currentRevision: revision,
          updateRevision: revision,
          collisionCount: 0,
        });
      },
    );

    scenario('ordered, first pod not ready -> no second one before it is', async () => {
      const world = await newWorld(stage());
      await world.withoutKubelet(async () => {
        await world.create({ replicas: 3 });
        await world.settles(['s-0 first Pending'], ['data-s-0']);
      });
      await world.settles(['s-0 first', 's-1 first', 's-2 first'], ['data-s-0', 'data-s-1', 'data-s-2']);
    });

    scenario('parallel, pods not ready -> all are created', async () => {
      const world = await newWorld(stage());
      await world.withoutKubelet(async () => {
        await world.create({ replicas: 2, podManagementPolicy: 'Parallel' });
        await world.settles(['s-0 first Pending', 's-1 first Pending'], ['data-s-0', 'data-s-1']);
      });
      await world.settles(['s-0 first', 's-1 first'], ['data-s-0', 'data-s-1']);
    });

    scenario('ordered, scaled down by two, pods end slowly -> the highest goes first, alone', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 3 });
      const claims = ['data-s-0', 'data-s-1', 'data-s-2'];
      await world.settles(['s-0 first', 's-1 first', 's-2 first'], claims);
      await world.withoutKubelet(async () => {
        await world.change({ replicas: 1 });
        await world.settles(['s-0 first', 's-1 first', 's-2 first terminating'], claims);
      });
      await world.settles(['s-0 first'], claims);
    });

    scenario('parallel, scaled down by two, pods end slowly -> both go at once', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 3, podManagementPolicy: 'Parallel' });
      const claims = ['data-s-0', 'data-s-1', 'data-s-2'];
      await world.settles(['s-0 first', 's-1 first', 's-2 first'], claims);
      await world.withoutKubelet(async () => {
        await world.change({ replicas: 1 });
        await world.settles(['s-0 first', 's-1 first terminating', 's-2 first terminating'], claims);
      });
      await world.settles(['s-0 first'], claims);
    });

    scenario(
      'template changed, partition 1 -> from that ordinal on the pods are new, then all, then back again',
      async () => {
        const world = await newWorld(stage());
        const claims = ['data-s-0', 'data-s-1', 'data-s-2'];
        await world.create({ replicas: 3, updateStrategy: rolling(1) });
        await world.settles(['s-0 first', 's-1 first', 's-2 first'], claims);
        await world.change({ template: template('second') });
        await world.settles(['s-0 first', 's-1 second', 's-2 second'], claims);
        const { status } = await world.set();
        expect(status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2, readyReplicas: 3 });
        expect(status?.currentRevision).not.toBe(status?.updateRevision);

        await world.delete('s-0');
        await world.settles(['s-0 first', 's-1 second', 's-2 second'], claims);

        await world.change({ updateStrategy: rolling(0) });
        await world.settles(['s-0 second', 's-1 second', 's-2 second'], claims);
        expect((await world.set()).status).toMatchObject({
          currentReplicas: 3,
          updatedReplicas: 3,
          currentRevision: status?.updateRevision,
        });

        await world.change({ template: template('first') });
        await world.settles(['s-0 first', 's-1 first', 's-2 first'], claims);
        const { items } = await stage().client.list(controllerRevisions, world.namespace);
        expect(items.map(({ revision }) => revision).sort()).toEqual([2, 3]);
      },
    );

    scenario('template changed, new pods not ready -> the update stops at the highest', async () => {
      const world = await newWorld(stage());
      const claims = ['data-s-0', 'data-s-1'];
      await world.create({ replicas: 2 });
      await world.settles(['s-0 first', 's-1 first'], claims);
      await world.withoutKubelet(async () => {
        await world.change({ template: template('second') });
        await world.settles(['s-0 first', 's-1 first terminating'], claims);
      });
      await world.settles(['s-0 second', 's-1 second'], claims);
    });

    scenario('template changed, OnDelete -> a pod is new once it was deleted', async () => {
      const world = await newWorld(stage());
      const claims = ['data-s-0', 'data-s-1'];
      await world.create({ replicas: 2, updateStrategy: { type: 'OnDelete' } });
      await world.settles(['s-0 first', 's-1 first'], claims);
      await world.change({ template: template('second') });
      await world.settles(['s-0 first', 's-1 first'], claims);
      await world.delete('s-1');
      await world.settles(['s-0 first', 's-1 second'], claims);
    });

    scenario.each(['Failed', 'Succeeded'] as const)(
      'pod %s -> another one of the name, the same claim',
      async (phase) => {
        const world = await newWorld(stage());
        await world.create({ replicas: 1 });
        await world.settles(['s-0 first'], ['data-s-0']);
        const pod = await world.pod('s-0');
        const claim = await world.claim('data-s-0');
        await terminatePod(stage().plane, { namespace: world.namespace, name: 's-0' }, phase);
        await world.settles(
          ['s-0 first'],
          ['data-s-0'],
          async () => (await world.pod('s-0')).metadata.uid !== pod.metadata.uid,
        );
        expect((await world.claim('data-s-0')).metadata.uid).toBe(claim.metadata.uid);
      },
    );

    scenario('claim of the name there already -> used as it is', async () => {
      const world = await newWorld(stage());
      const made = await stage().client.create(persistentVolumeClaims, {
        metadata: { name: 'data-s-0', namespace: world.namespace, labels: { by: 'hand' } },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '5Gi' } } },
      });
      await world.create({ replicas: 1 });
      await world.settles(['s-0 first'], ['data-s-0']);
      const claim = await world.claim('data-s-0');
      expect(claim.metadata.uid).toBe(made.metadata.uid);
      expect(claim.metadata.labels).toEqual({ by: 'hand' });
      expect(claim.spec?.accessModes).toEqual(['ReadWriteMany']);
    });

    scenario('set deleted without its pods and made again -> it takes them on as they are', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 2 });
      await world.settles(['s-0 first', 's-1 first'], ['data-s-0', 'data-s-1']);
      const before = await world.pod('s-1');
      await world.deleteSet('Orphan');
      await world.settles(['s-0 first orphan', 's-1 first orphan'], ['data-s-0', 'data-s-1']);
      await world.create({ replicas: 2 });
      await world.settles(['s-0 first', 's-1 first'], ['data-s-0', 'data-s-1']);
      expect((await world.pod('s-1')).metadata.uid).toBe(before.metadata.uid);
      const { items } = await stage().client.list(controllerRevisions, world.namespace);
      expect(items.map(({ revision }) => revision)).toEqual([1]);
    });

    scenario('labels of a pod no longer fit -> let go, and its ordinal waits for the name', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles(['s-0 first'], ['data-s-0']);
      const ref = { namespace: world.namespace, name: 's-0' };
      await stage().client.patch(pods, ref, [
        { op: 'replace', path: '/metadata/labels/app', value: 'other' },
      ]);
      // It isn't idle then: it tries to make the pod, whose name is taken, again and again.
      await until('the pod has no owner', async () => {
        return (await world.pod('s-0')).metadata.ownerReferences === undefined;
      });
      await world.delete('s-0');
      await world.settles(['s-0 first'], ['data-s-0']);
    });

    const both = ['data-s-0', 'data-s-1'];
    scenario.each([
      { whenScaled: 'Retain', whenDeleted: 'Retain', start: both, scaled: both, gone: both },
      {
        whenScaled: 'Retain',
        whenDeleted: 'Delete',
        start: ['data-s-0 of s', 'data-s-1 of s'],
        scaled: ['data-s-0 of s', 'data-s-1 of s'],
        gone: [],
      },
      { whenScaled: 'Delete', whenDeleted: 'Retain', start: both, scaled: ['data-s-0'], gone: ['data-s-0'] },
      {
        whenScaled: 'Delete',
        whenDeleted: 'Delete',
        start: ['data-s-0 of s', 'data-s-1 of s'],
        scaled: ['data-s-0 of s'],
        gone: [],
      },
    ])(
      'scaled: $whenScaled, deleted: $whenDeleted -> claims kept or not on pod deletion, scale-down, set deletion',
      async ({ whenScaled, whenDeleted, start, scaled, gone }) => {
        const world = await newWorld(stage());
        await world.create({
          replicas: 2,
          persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
        });
        await world.settles(['s-0 first', 's-1 first'], start);
        const { uid } = (await world.claim('data-s-1')).metadata;
        await world.delete('s-1');
        await world.settles(['s-0 first', 's-1 first'], start);
        expect((await world.claim('data-s-1')).metadata.uid).toBe(uid);
        await world.change({ replicas: 1 });
        await world.settles(['s-0 first'], scaled);
        await world.change({ replicas: 2 });
        await world.seesClaimsGone('s-1');
        await world.settles(['s-0 first', 's-1 first'], start);
        expect((await world.claim('data-s-1')).metadata.uid === uid).toBe(whenScaled === 'Retain');
        await world.change({ replicas: 1 });
        await world.settles(['s-0 first'], scaled);
        await world.deleteSet('Foreground');
        await world.settles([], gone);
      },
    );

    scenario(
      'scaled: Delete, condemned pod still terminating -> its claim belongs to it; scaled up again -> a new one follows',
      async () => {
        const world = await newWorld(stage());
        const policy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
        await world.create({ replicas: 2, persistentVolumeClaimRetentionPolicy: policy });
        await world.settles(['s-0 first', 's-1 first'], ['data-s-0 of s', 'data-s-1 of s']);
        const { uid } = (await world.claim('data-s-1')).metadata;
        await world.withoutKubelet(async () => {
          await world.change({ replicas: 1 });
          await world.settles(['s-0 first', 's-1 first terminating'], ['data-s-0 of s', 'data-s-1 of s-1']);
          await world.change({ replicas: 2 });
          await world.settles(['s-0 first', 's-1 first terminating'], ['data-s-0 of s', 'data-s-1 of s-1']);
        });
        await until('the claim is gone', async () => {
          const ref = { namespace: world.namespace, name: 'data-s-1' };
          return (await stage().client.get(persistentVolumeClaims, ref))?.metadata.uid !== uid;
        });
        await world.seesClaimsGone('s-1');
        await world.settles(['s-0 first', 's-1 first'], ['data-s-0 of s', 'data-s-1 of s']);
        expect((await world.claim('data-s-1')).metadata.uid).not.toBe(uid);
      },
    );

    scenario('policy turned to Delete and back -> references come and go', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles(['s-0 first'], ['data-s-0']);
      await world.change({
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' },
      });
      await world.settles(['s-0 first'], ['data-s-0 of s']);
      await world.change({
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Retain' },
      });
      await world.settles(['s-0 first'], ['data-s-0']);
    });

    scenario('claim has another controller -> no reference of the set, and it survives', async () => {
      const world = await newWorld(stage());
      const owner = await stage().client.create(persistentVolumeClaims, {
        metadata: { name: 'owner', namespace: world.namespace },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await stage().client.create(persistentVolumeClaims, {
        metadata: {
          name: 'data-s-0',
          namespace: world.namespace,
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              name: 'owner',
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await world.create({
        replicas: 1,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      });
      await world.settles(['s-0 first'], ['data-s-0 of owner', 'owner']);
      await world.deleteSet('Background');
      await world.settles([], ['data-s-0 of owner', 'owner']);
    });
  },
);

function rolling(partition: number): object {
  return { type: 'RollingUpdate', rollingUpdate: { partition } };
}

function template(version: string): object {
  return {
    metadata: { labels: { app: 's' }, annotations: { version } },
    spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
  };
}

/** A namespace of its own with the set `s`. */
interface World {
  readonly namespace: string;
  create(spec: object): Promise<void>;
  /** Merges into the set's spec. */
  change(spec: object): Promise<void>;
  /** Deletes a pod. */
  delete(name: string): Promise<void>;
  deleteSet(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  set(): Promise<StatefulSet>;
  pod(name: string): Promise<Pod>;
  claim(name: string): Promise<PersistentVolumeClaim>;
  /**
   * Changes the set once a second until the pod is there. The real controller has no handler for claims: while its
   * cache holds one of an earlier pod that was collected, it makes no new pod, and looks again when something happens
   * to the set.
   */
  seesClaimsGone(pod: string): Promise<void>;
  /** Pods neither start nor end meanwhile. */
  withoutKubelet(during: () => Promise<void>): Promise<void>;
  /**
   * Pods as `name version phase orphan terminating`, the last three where they are unusual; claims as `name of owner`.
   */
  settles(pods: readonly string[], claims: readonly string[], also?: () => Promise<boolean>): Promise<void>;
}

async function newWorld(stage: Stage): Promise<World> {
  const { client } = stage;
  const namespace = `sts-${crypto.randomUUID()}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const set = async (): Promise<StatefulSet> =>
    found(await client.get(statefulSets, { namespace, name: 's' }));
  const change = async (spec: object): Promise<void> => {
    const operations = Object.entries(spec).map(
      ([field, value]) => ({ op: 'add', path: `/spec/${field}`, value: value as unknown }) as const,
    );
    await client.patch(statefulSets, { namespace, name: 's' }, operations);
  };
  return {
    namespace,
    set,
    change,
    async create(spec) {
      await client.create(statefulSets, {
        metadata: { name: 's', namespace },
        spec: {
          serviceName: 'service',
          selector: { matchLabels: { app: 's' } },
          template: template('first'),
          volumeClaimTemplates: [
            {
              metadata: { name: 'data', labels: { kept: 'yes' } },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
          ...spec,
        },
      });
    },
    async seesClaimsGone(name) {
      let [changed, revisionHistoryLimit] = [performance.now(), 10];
      await until(`${name} is there anew`, async () => {
        const pod = await client.get(pods, { namespace, name });
        if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) {
          return true;
        }
        if (performance.now() - changed > 1_000) {
          changed = performance.now();
          revisionHistoryLimit += 1;
          await change({ revisionHistoryLimit });
        }
        return false;
      });
    },
    async delete(name) {
      await client.delete(pods, { namespace, name });
    },
    async deleteSet(propagationPolicy) {
      await client.delete(statefulSets, { namespace, name: 's' }, { propagationPolicy });
    },
    pod: async (name) => found(await client.get(pods, { namespace, name })),
    claim: async (name) => found(await client.get(persistentVolumeClaims, { namespace, name })),
    withoutKubelet: stage.withoutExtras,
    settles: (expectedPods, expectedClaims, also = () => Promise.resolve(true)) =>
      stage.settles(
        async () => {
          const status = (await client.get(statefulSets, { namespace, name: 's' }))?.status;
          return {
            pods: (await client.list(pods, namespace)).items.map(podSummary).sort(),
            claims: (await client.list(persistentVolumeClaims, namespace)).items.map(claimSummary).sort(),
            isCounted: status === undefined || status.replicas === expectedPods.length,
            also: await also(),
          };
        },
        { pods: expectedPods, claims: expectedClaims, isCounted: true, also: true },
      ),
  };
}

function found<T>(object: T | undefined): T {
  if (object === undefined) {
    throw new Error('the object is gone');
  }
  return object;
}

function podSummary({ metadata, status }: Pod): string {
  const { name, annotations, ownerReferences = [], deletionTimestamp } = metadata;
  return [
    name,
    annotations?.['version'],
    ...(status?.phase === 'Running' ? [] : [status?.phase]),
    ...(ownerReferences.length === 0 ? ['orphan'] : []),
    ...(deletionTimestamp === undefined ? [] : ['terminating']),
  ].join(' ');
}

function claimSummary({ metadata: { name, ownerReferences = [] } }: KubernetesObject): string {
  return [name, ...ownerReferences.map((reference) => `of ${reference.name}`)].join(' ');
}
