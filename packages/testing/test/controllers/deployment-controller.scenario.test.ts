import { expect, jest } from '@jest/globals';
import {
  controllerOf,
  deployments,
  namespaces,
  pods,
  replicaSets,
  type Deployment,
  type Pod,
  type ReplicaSet,
} from '@holdfast/core';
import { deploymentController } from '../../src/controllers/deployment/deployment-controller.ts';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { kubelet } from '../../src/controllers/kubelet.ts';
import { replicaSetController } from '../../src/controllers/replica-set/replica-set-controller.ts';
import { onEveryStage, type Stage } from './stages.ts';
import { until } from '../real/until.ts';

jest.setTimeout(60_000);

onEveryStage(
  'Deployment controller',
  {
    controllers: ['deployment-controller', 'replicaset-controller', 'garbage-collector-controller'],
    standIns: () => [deploymentController, replicaSetController, garbageCollector],
    extras: () => [kubelet()],
  },
  (stage, scenario) => {
    scenario(
      'created -> one set with hash, owner and annotations, its pods, and a status that says so',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2 }, { 'example.com/team': 'a' });
        await world.settles({ sets: ['first #1 2/2'], pods: ['first', 'first'], ...complete(2) });
        const { metadata, status } = await world.deployment();
        const [set] = await world.sets();
        const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
        expect(hash).toMatch(/^[a-z0-9]+$/);
        expect(set?.metadata).toMatchObject({
          name: `d-${hash}`,
          labels: { app: 'd', 'pod-template-hash': hash },
          annotations: {
            'deployment.kubernetes.io/desired-replicas': '2',
            'deployment.kubernetes.io/max-replicas': '3',
            'deployment.kubernetes.io/revision': '1',
            'example.com/team': 'a',
          },
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              name: 'd',
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        });
        expect(set?.spec?.selector).toEqual({ matchLabels: { app: 'd', 'pod-template-hash': hash } });
        expect((await world.pods())[0]?.metadata.labels).toEqual({ app: 'd', 'pod-template-hash': hash });
        expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
        expect(status).toEqual({
          observedGeneration: metadata.generation,
          replicas: 2,
          updatedReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          terminatingReplicas: 0,
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'Available',
              status: 'True',
              message: 'Deployment has minimum availability.',
            }),
            expect.objectContaining({
              type: 'Progressing',
              status: 'True',
              message: `ReplicaSet "d-${hash}" has successfully progressed.`,
            }),
          ]),
        });
      },
    );

    scenario('pods not started -> not available, and the rollout goes on', async () => {
      const world = await newWorld(stage());
      await world.withoutKubelet(async () => {
        await world.create({ replicas: 2 });
        await world.settles({
          sets: ['first #1 2/0'],
          pods: ['first Pending', 'first Pending'],
          available: 'False MinimumReplicasUnavailable',
          progressing: 'True ReplicaSetUpdated',
          counts: { replicas: 2, updated: 2, ready: 0, available: 0, unavailable: 2 },
        });
      });
      await world.settles({ sets: ['first #1 2/2'], pods: ['first', 'first'], ...complete(2) });
    });

    scenario('scaled up and down -> the same set', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1 });
      await world.settles({ sets: ['first #1 1/1'], pods: ['first'], ...complete(1) });
      await world.change({ replicas: 4 });
      await world.settles({ sets: ['first #1 4/4'], pods: many('first', 4), ...complete(4) });
      await world.change({ replicas: 0 });
      await world.settles({ sets: ['first #1 0/0'], pods: [], ...complete(0) });
      await world.change({ replicas: 2 });
      await world.settles({ sets: ['first #1 2/2'], pods: many('first', 2), ...complete(2) });
    });

    scenario(
      'template changed -> all pods are new, the old set is kept; changed back -> it is used again, with the next revision and its history',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 3 });
        await world.settles({ sets: ['first #1 3/3'], pods: many('first', 3), ...complete(3) });
        await world.change({ template: template('second') });
        await world.settles({
          sets: ['first #1 0/0', 'second #2 3/3'],
          pods: many('second', 3),
          ...complete(3),
        });
        await world.change({ template: template('first') });
        await world.settles({
          sets: ['first #3 (1) 3/3', 'second #2 0/0'],
          pods: many('first', 3),
          ...complete(3),
        });
        expect((await world.deployment()).metadata.annotations).toMatchObject({
          'deployment.kubernetes.io/revision': '3',
        });
      },
    );

    scenario.each([
      { maxSurge: 1, maxUnavailable: 0, sets: ['first #1 4/4', 'second #2 1/0'] },
      { maxSurge: 0, maxUnavailable: 1, sets: ['first #1 3/3', 'second #2 1/0'] },
      { maxSurge: '50%', maxUnavailable: '25%', sets: ['first #1 3/3', 'second #2 3/0'] },
    ])(
      'template changed, new pods do not start, surge $maxSurge, unavailable $maxUnavailable -> it stops at $sets',
      async ({ maxSurge, maxUnavailable, sets }) => {
        const world = await newWorld(stage());
        const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
        await world.create({ replicas: 4, strategy });
        await world.settles({ sets: ['first #1 4/4'], pods: many('first', 4), ...complete(4) });
        // Pods that cannot be bound never start, while those that go do.
        await world.change({
          template: template('second', { schedulingGates: [{ name: 'example.com/held' }] }),
        });
        await world.reaches(sets);
        await world.change({ template: template('third') });
        await world.settles({
          sets: ['first #1 0/0', 'second #2 0/0', 'third #3 4/4'],
          pods: many('third', 4),
          ...complete(4),
        });
      },
    );

    scenario('scaled in the middle of a rollout -> the replicas are shared out in proportion', async () => {
      const world = await newWorld(stage());
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 2 } };
      await world.create({ replicas: 4, strategy });
      await world.settles({ sets: ['first #1 4/4'], pods: many('first', 4), ...complete(4) });
      await world.change({
        template: template('second', { schedulingGates: [{ name: 'example.com/held' }] }),
      });
      await world.reaches(['first #1 2/2', 'second #2 4/0']);
      await world.change({ replicas: 10 });
      await world.reaches(['first #1 4/4', 'second #2 8/0']);
    });

    scenario(
      'Recreate, template changed, old pods end slowly -> no new pod before they have ended',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2, strategy: { type: 'Recreate' } });
        await world.settles({ sets: ['first #1 2/2'], pods: many('first', 2), ...complete(2) });
        await world.withoutKubelet(async () => {
          await world.change({ template: template('second') });
          await world.settles({
            sets: ['first #1 0/0'],
            pods: ['first terminating', 'first terminating'],
            available: 'False MinimumReplicasUnavailable',
          });
        });
        await world.settles({
          sets: ['first #1 0/0', 'second #2 2/2'],
          pods: many('second', 2),
          ...complete(2),
        });
      },
    );

    scenario(
      'paused, template and replicas changed -> scaled only, and said; resumed -> rolled out',
      async () => {
        const world = await newWorld(stage());
        await world.create({ replicas: 1 });
        await world.settles({ sets: ['first #1 1/1'], pods: ['first'], ...complete(1) });
        await world.change({ paused: true, replicas: 2, template: template('second') });
        await world.settles({
          sets: ['first #1 2/2'],
          pods: many('first', 2),
          progressing: 'Unknown DeploymentPaused',
          counts: { replicas: 2, updated: 0, ready: 2, available: 2, unavailable: 0 },
        });
        await world.change({ paused: false });
        await world.settles({
          sets: ['first #1 0/0', 'second #2 2/2'],
          pods: many('second', 2),
          ...complete(2),
        });
      },
    );

    scenario('revisionHistoryLimit 1 -> of the old sets the latest is kept', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 1, revisionHistoryLimit: 1 });
      await world.settles({ sets: ['first #1 1/1'], pods: ['first'], ...complete(1) });
      await world.change({ template: template('second') });
      await world.settles({ sets: ['first #1 0/0', 'second #2 1/1'], pods: ['second'], ...complete(1) });
      await world.change({ template: template('third') });
      await world.settles({ sets: ['second #2 0/0', 'third #3 1/1'], pods: ['third'], ...complete(1) });
    });

    scenario(
      'no progress for progressDeadlineSeconds -> ProgressDeadlineExceeded; then it progresses -> complete',
      async () => {
        const world = await newWorld(stage());
        await world.withoutKubelet(async () => {
          await world.create({ replicas: 1, progressDeadlineSeconds: 2 });
          await until('it is said', async () => {
            const { status } = await world.deployment();
            return conditionOf(status, 'Progressing') === 'False ProgressDeadlineExceeded';
          });
        });
        await world.settles({ sets: ['first #1 1/1'], pods: ['first'], ...complete(1) });
      },
    );

    scenario('name of the set is taken -> another hash, and collisionCount 1', async () => {
      const world = await newWorld(stage());
      // Which name it will take shows by another Deployment of the same name and template.
      await world.create({ replicas: 0 });
      await world.settles({ sets: ['first #1 0/0'], pods: [], ...complete(0) });
      const [set] = await world.sets();
      await world.deleteDeployment('Background');
      await until('the set is gone', async () => (await world.sets()).length === 0);
      await world.occupy(set?.metadata.name ?? '');
      await world.create({ replicas: 1 });
      await world.settles({ sets: ['first #1 1/1'], pods: ['first'], ...complete(1) });
      expect((await world.deployment()).status?.collisionCount).toBe(1);
    });

    scenario('deleted without its sets and made again -> it takes them on', async () => {
      const world = await newWorld(stage());
      await world.create({ replicas: 2 });
      await world.settles({ sets: ['first #1 2/2'], pods: many('first', 2), ...complete(2) });
      const [before] = await world.sets();
      await world.deleteDeployment('Orphan');
      await until('it is gone and the set is an orphan', async () => {
        const [set] = await world.sets();
        const isOrphan = set !== undefined && controllerOf(set) === undefined;
        return isOrphan && !(await world.isThere());
      });
      await world.create({ replicas: 2 });
      await world.settles({ sets: ['first #1 2/2'], pods: many('first', 2), ...complete(2) });
      expect((await world.sets())[0]?.metadata.uid).toBe(before?.metadata.uid);
    });

    scenario.each(['Background', 'Foreground'] as const)(
      'deleted, %s -> sets and pods go with it',
      async (policy) => {
        const world = await newWorld(stage());
        await world.create({ replicas: 2 });
        await world.settles({ sets: ['first #1 2/2'], pods: many('first', 2), ...complete(2) });
        await world.deleteDeployment(policy);
        await world.settles({ sets: [], pods: [] });
      },
    );
  },
);

function template(version: string, spec: object = {}): object {
  return {
    metadata: { labels: { app: 'd' }, annotations: { version } },
    spec: { containers: [{ name: 'c', image: 'example.com/none' }], ...spec },
  };
}

function many(pod: string, count: number): string[] {
  return Array.from({ length: count }, () => pod);
}

/** What is expected of a Deployment; what is left out is not looked at. */
interface Expected {
  /** As `version #revision (former revisions) replicas/available`. */
  readonly sets: readonly string[];
  /** As `version phase terminating`, the last two where they are unusual. */
  readonly pods: readonly string[];
  /** Status and reason. */
  readonly available?: string;
  readonly progressing?: string;
  readonly counts?: Counts;
}

type Counts = Readonly<Record<'replicas' | 'updated' | 'ready' | 'available' | 'unavailable', number>>;

function complete(replicas: number): Omit<Expected, 'sets' | 'pods'> {
  return {
    available: 'True MinimumReplicasAvailable',
    progressing: 'True NewReplicaSetAvailable',
    counts: { replicas, updated: replicas, ready: replicas, available: replicas, unavailable: 0 },
  };
}

/** A namespace of its own with the Deployment `d`. */
interface World {
  create(spec: object, annotations?: Readonly<Record<string, string>>): Promise<void>;
  /** Merges into the Deployment's spec. */
  change(spec: object): Promise<void>;
  deleteDeployment(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  /** Makes a set of that name that is nobody's. */
  occupy(name: string): Promise<void>;
  isThere(): Promise<boolean>;
  deployment(): Promise<Deployment>;
  /** Those that have anything to do with the Deployment. */
  sets(): Promise<readonly ReplicaSet[]>;
  pods(): Promise<readonly Pod[]>;
  /** Pods neither start nor end meanwhile. */
  withoutKubelet(during: () => Promise<void>): Promise<void>;
  settles(expected: Expected): Promise<void>;
  /** Sets alone. */
  reaches(sets: readonly string[]): Promise<void>;
}

async function newWorld(stage: Stage): Promise<World> {
  const { client } = stage;
  const namespace = `dep-${crypto.randomUUID()}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const ref = { namespace, name: 'd' };
  const podsOf = async (): Promise<readonly Pod[]> => (await client.list(pods, namespace)).items;
  const setsOf = async (): Promise<readonly ReplicaSet[]> =>
    (await client.list(replicaSets, namespace)).items.filter(
      ({ metadata }) => metadata.labels?.['app'] === 'd',
    );
  const state = async (): Promise<Expected & { isObserved: boolean }> => {
    const deployment = await client.get(deployments, ref);
    const { status, metadata } = deployment ?? {};
    return {
      sets: (await setsOf()).map(setSummary).sort(),
      pods: (await podsOf()).map(podSummary).sort(),
      available: conditionOf(status, 'Available'),
      progressing: conditionOf(status, 'Progressing'),
      counts: {
        replicas: status?.replicas ?? 0,
        updated: status?.updatedReplicas ?? 0,
        ready: status?.readyReplicas ?? 0,
        available: status?.availableReplicas ?? 0,
        unavailable: status?.unavailableReplicas ?? 0,
      },
      isObserved: status?.observedGeneration === metadata?.generation,
    };
  };
  return {
    pods: podsOf,
    sets: setsOf,
    isThere: async () => (await client.get(deployments, ref)) !== undefined,
    async deployment() {
      const deployment = await client.get(deployments, ref);
      if (deployment === undefined) {
        throw new Error('the deployment is gone');
      }
      return deployment;
    },
    async create(spec, annotations = {}) {
      await client.create(deployments, {
        metadata: { ...ref, annotations },
        spec: { selector: { matchLabels: { app: 'd' } }, template: template('first'), ...spec },
      });
    },
    async change(spec) {
      const operations = Object.entries(spec).map(
        ([field, value]) => ({ op: 'add', path: `/spec/${field}`, value: value as unknown }) as const,
      );
      await client.patch(deployments, ref, operations);
    },
    async deleteDeployment(propagationPolicy) {
      await client.delete(deployments, ref, { propagationPolicy });
    },
    async occupy(name) {
      const labels = { app: 'another' };
      await client.create(replicaSets, {
        metadata: { namespace, name, labels },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
          },
        },
      });
    },
    withoutKubelet: stage.withoutExtras,
    settles: (expected) =>
      stage.settles(
        async () => {
          const found = Object.entries(await state());
          return Object.fromEntries(found.filter(([field]) => field in expected || field === 'isObserved'));
        },
        { ...expected, isObserved: true },
      ),
    reaches: (sets) => stage.settles(async () => (await state()).sets, sets),
  };
}

function conditionOf(status: Deployment['status'], type: string): string {
  const condition = status?.conditions?.find((each) => each.type === type);
  return condition === undefined ? 'none' : `${condition.status} ${condition.reason ?? ''}`;
}

function setSummary({ metadata, spec, status }: ReplicaSet): string {
  const { annotations = {} } = metadata;
  const history = annotations['deployment.kubernetes.io/revision-history'];
  return [
    spec?.template?.metadata?.annotations?.['version'] ?? '',
    `#${annotations['deployment.kubernetes.io/revision'] ?? ''}`,
    ...(history === undefined ? [] : [`(${history})`]),
    `${spec?.replicas ?? ''}/${status?.availableReplicas ?? 0}`,
  ].join(' ');
}

function podSummary({ metadata, status }: Pod): string {
  return [
    metadata.annotations?.['version'] ?? '',
    ...(status?.phase === 'Running' ? [] : [status?.phase]),
    ...(metadata.deletionTimestamp === undefined ? [] : ['terminating']),
  ].join(' ');
}
