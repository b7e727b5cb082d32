import { expect, jest } from '@jest/globals';
import { namespaces, pods, replicaSets, type JsonPatch, type Pod, type ReplicaSet } from '@holdfast/core';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { kubelet, terminatePod } from '../../src/controllers/kubelet.ts';
import { replicaSetController } from '../../src/controllers/replica-set/replica-set-controller.ts';
import { onEveryStage, type Stage } from './stages.ts';
import { until } from '../real/until.ts';

jest.setTimeout(60_000);

onEveryStage(
  'ReplicaSet controller',
  {
    controllers: ['replicaset-controller', 'garbage-collector-controller'],
    standIns: () => [replicaSetController, garbageCollector],
    extras: () => [kubelet()],
  },
  (stage, scenario) => {
    scenario(
      'created -> pods of generated names with labels, annotations and owner of the set, and a status that counts them',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2 });
        await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
        const [pod] = await world.pods();
        const { metadata, status } = await world.set();
        expect(pod?.metadata.name).toMatch(/^r-[a-z0-9]{5}$/);
        expect(pod?.metadata).toMatchObject({
          generateName: 'r-',
          labels: { app: 'r', extra: 'yes' },
          annotations: { version: 'first' },
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              name: 'r',
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        });
        expect(status).toEqual({
          replicas: 2,
          fullyLabeledReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          terminatingReplicas: 0,
          observedGeneration: metadata.generation,
        });
      },
    );

    scenario('replicas 0 -> no pod, and the status says that it was seen', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 0 });
      await world.settles([], { replicas: 0, ready: 0, available: 0 });
    });

    scenario('scaled up by many at once -> as many as asked for, and no more', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      await world.change({ replicas: 20 });
      const many = Array.from({ length: 20 }, () => running);
      await world.settles(many, { replicas: 20, ready: 20, available: 20 });
    });

    scenario('pods not started -> counted, not ready', async () => {
      const world = await newWorld(stage());
      await world.withoutKubelet(async () => {
        await world.create({ replicas: 2 });
        await world.settles(['Pending', 'Pending'], { replicas: 2, ready: 0, available: 0 });
      });
    });

    scenario('scaled down, one pod Pending -> that one goes', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 2 });
      await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
      const before = await world.names();
      await world.withoutKubelet(async () => {
        await world.change({ replicas: 3 });
        await world.settles(['Pending', running, running], { replicas: 3, ready: 2, available: 2 });
        await world.change({ replicas: 2 });
        await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
      });
      expect(await world.names()).toEqual(before);
    });

    scenario('scaled down, pods have deletion costs -> the cheapest go', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 3 });
      await world.settles([running, running, running], { replicas: 3, ready: 3, available: 3 });
      const [cheap = '', dear = '', cheaper = ''] = await world.names();
      await world.setCost(cheap, '5');
      await world.setCost(dear, '10');
      await world.setCost(cheaper, '-5');
      await world.settles([running, running, running], { replicas: 3, ready: 3, available: 3 });
      await world.change({ replicas: 1 });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      expect(await world.names()).toEqual([dear]);
    });

    scenario('scaled down, pods end slowly -> they are counted as terminating', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 3 });
      await world.settles([running, running, running], { replicas: 3, ready: 3, available: 3 });
      await world.withoutKubelet(async () => {
        await world.change({ replicas: 1 });
        const left = [running, 'Running terminating', 'Running terminating'];
        await world.settles(left, { replicas: 1, ready: 1, available: 1, terminating: 2 });
      });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
    });

    scenario.each(['Failed', 'Succeeded'] as const)('pod %s -> another one, and it stays', async (phase) => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      const [name = ''] = await world.names();
      await terminatePod(stage().plane, { namespace: world.namespace, name }, phase);
      await world.settles([phase, running].sort(), { replicas: 1, ready: 1, available: 1 });
    });

    scenario('pod deleted -> another one', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      const [name = ''] = await world.names();
      await stage().client.delete(pods, { namespace: world.namespace, name });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      expect(await world.names()).not.toEqual([name]);
    });

    scenario(
      'orphan whose labels fit -> adopted in the place of a new pod, and one that lacks a label of the template is not fully labeled',
      async () => {
        const world = await newWorld(stage());
        await world.createPod('mine', { app: 'r' });
        await world.createPod('other', { app: 'another' });
        await world.create({ replicas: 2 });
        await world.settles([running, running, 'Running orphan'], {
          replicas: 2,
          fullyLabeled: 1,
          ready: 2,
          available: 2,
        });
        expect(await world.names()).toEqual(expect.arrayContaining(['mine', 'other']));
      },
    );

    scenario('more orphans than replicas -> all are adopted, and the surplus goes', async () => {
      const world = await newWorld(stage());
      for (const name of ['a', 'b', 'c']) {
        await world.createPod(name, { app: 'r', extra: 'yes' });
      }
      await world.create({ replicas: 1 });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      const [name = ''] = await world.names();
      expect(['a', 'b', 'c']).toContain(name);
    });

    scenario(
      'labels of a pod no longer fit -> let go, and another one in its place; they fit again -> it comes back and one goes',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 1 });
        await world.settles([running], { replicas: 1, ready: 1, available: 1 });
        const [name = ''] = await world.names();
        const label = (value: string): Promise<unknown> =>
          world.patchPod(name, [{ op: 'replace', path: '/metadata/labels/app', value }]);
        await label('other');
        await world.settles([running, 'Running orphan'], { replicas: 1, ready: 1, available: 1 });
        await label('r');
        await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      },
    );

    scenario('set deleted without its pods and made again -> it takes them on', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 2 });
      await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
      const before = await world.names();
      await world.deleteSet('Orphan');
      await world.settles(['Running orphan', 'Running orphan'], undefined);
      await world.create({ replicas: 2 });
      await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
      expect(await world.names()).toEqual(before);
    });

    scenario.each(['Background', 'Foreground'] as const)(
      'set deleted, %s -> its pods go with it',
      async (policy) => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2 });
        await world.settles([running, running], { replicas: 2, ready: 2, available: 2 });
        await world.deleteSet(policy);
        await world.settles([], undefined);
      },
    );

    scenario('minReadySeconds 2 -> ready at once, available after two seconds', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1, minReadySeconds: 2 });
      await until('the pod is ready', async () => (await world.set()).status?.readyReplicas === 1);
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      const { status } = await world.set();
      expect(status?.availableReplicas).toBe(1);
    });

    scenario('pods are refused -> ReplicaFailure says why; no longer refused -> it goes', async () => {
      const world = await newWorld(stage());
      // A pod of a class that is not there is refused, and a template that names it is not.
      await world.create({ replicas: 1, template: template({ priorityClassName: world.namespace }) });
      await until('the set says so', async () => {
        const [condition] = (await world.set()).status?.conditions ?? [];
        return condition?.reason === 'FailedCreate';
      });
      const [condition] = (await world.set()).status?.conditions ?? [];
      expect(condition).toMatchObject({ type: 'ReplicaFailure', status: 'True' });
      expect(condition?.message).toContain(world.namespace);
      await world.change({ template: template({}) });
      await world.settles([running], { replicas: 1, ready: 1, available: 1 });
      expect((await world.set()).status?.conditions).toBeUndefined();
    });
  },
);

const running = 'Running';

function template(spec: object): object {
  return {
    metadata: { labels: { app: 'r', extra: 'yes' }, annotations: { version: 'first' } },
    spec: { containers: [{ name: 'c', image: 'example.com/none' }], ...spec },
  };
}

/** What the status of the set counts; undefined when there is no set. */
interface Counts {
  readonly replicas: number;
  /** Default as many as replicas. */
  readonly fullyLabeled?: number;
  readonly ready: number;
  readonly available: number;
  /** Default 0. */
  readonly terminating?: number;
}

/** A namespace of its own with the set `r`. */
interface World {
  readonly namespace: string;
  create(spec: object): Promise<void>;
  /** Merges into the set's spec. */
  change(spec: object): Promise<void>;
  deleteSet(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  createPod(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  patchPod(name: string, patch: JsonPatch): Promise<Pod>;
  setCost(name: string, cost: string): Promise<Pod>;
  set(): Promise<ReplicaSet>;
  pods(): Promise<readonly Pod[]>;
  /** Of the pods, in order. */
  names(): Promise<readonly string[]>;
  /** Pods neither start nor end meanwhile. */
  withoutKubelet(during: () => Promise<void>): Promise<void>;
  /** Pods as `phase orphan terminating`, the last two where they are so. */
  settles(pods: readonly string[], counts: Counts | undefined): Promise<void>;
}

async function newWorld(stage: Stage): Promise<World> {
  const { client } = stage;
  const namespace = `rs-${crypto.randomUUID()}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const ref = { namespace, name: 'r' };
  const list = async (): Promise<readonly Pod[]> => (await client.list(pods, namespace)).items;
  const patchPod: World['patchPod'] = (name, patch) => client.patch(pods, { namespace, name }, patch);
  return {
    namespace,
    pods: list,
    patchPod,
    names: async () => (await list()).map(({ metadata }) => metadata.name).sort(),
    setCost: (name, value) =>
      patchPod(name, [
        { op: 'add', path: '/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost', value },
      ]),
    async set() {
      const set = await client.get(replicaSets, ref);
      if (set === undefined) {
        throw new Error('the set is gone');
      }
      return set;
    },
    async create(spec) {
      await client.create(replicaSets, {
        metadata: { name: 'r', namespace },
        spec: { selector: { matchLabels: { app: 'r' } }, template: template({}), ...spec },
      });
    },
    async change(spec) {
      const operations = Object.entries(spec).map(
        ([field, value]) => ({ op: 'add', path: `/spec/${field}`, value: value as unknown }) as const,
      );
      await client.patch(replicaSets, ref, operations);
    },
    async deleteSet(propagationPolicy) {
      await client.delete(replicaSets, ref, { propagationPolicy });
    },
    async createPod(name, labels) {
      await client.create(pods, {
        metadata: { name, namespace, labels },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
      });
    },
    withoutKubelet: stage.withoutExtras,
    settles: (expectedPods, counts) =>
      stage.settles(
        async () => {
          const set = await client.get(replicaSets, ref);
          return {
            pods: (await list()).map(podSummary).sort(),
            set: set === undefined ? undefined : counted(set),
          };
        },
        {
          pods: expectedPods,
          set:
            counts === undefined
              ? undefined
              : { fullyLabeled: counts.replicas, terminating: 0, ...counts, isObserved: true },
        },
      ),
  };
}

function counted({ metadata, status }: ReplicaSet): Counts & { readonly isObserved: boolean } {
  return {
    replicas: status?.replicas ?? 0,
    fullyLabeled: status?.fullyLabeledReplicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    terminating: status?.terminatingReplicas ?? -1,
    isObserved: status?.observedGeneration === metadata.generation,
  };
}

function podSummary({ metadata, status }: Pod): string {
  const { ownerReferences = [], deletionTimestamp } = metadata;
  return [
    status?.phase,
    ...(ownerReferences.length === 0 ? ['orphan'] : []),
    ...(deletionTimestamp === undefined ? [] : ['terminating']),
  ].join(' ');
}
