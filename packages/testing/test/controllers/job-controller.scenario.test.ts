import { expect, jest } from '@jest/globals';
import { jobs, namespaces, pods, type Job, type Pod } from '@holdfast/core';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { jobController } from '../../src/controllers/job/job-controller.ts';
import { ttlAfterFinished } from '../../src/controllers/job/ttl-after-finished.ts';
import { kubelet, terminatePod } from '../../src/controllers/kubelet.ts';
import { onEveryStage, type Stage } from './stages.ts';
import { until } from '../real/until.ts';

jest.setTimeout(60_000);

/** Of a Job whose first pod has failed, in milliseconds. */
const firstBackOff = 10_000;

onEveryStage(
  'Job controller',
  {
    controllers: ['job-controller', 'ttl-after-finished-controller', 'garbage-collector-controller'],
    standIns: () => [jobController, ttlAfterFinished, garbageCollector],
    extras: () => [kubelet()],
  },
  (stage, scenario) => {
    scenario(
      'created -> a pod with the finalizer; it succeeds -> Complete, and its finalizer is gone',
      async () => {
        const world = await newWorld(stage());
        await world.create({});
        await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
        const [pod] = await world.pods();
        const { metadata } = await world.job();
        expect(pod?.metadata).toMatchObject({
          name: expect.stringMatching(/^j-[a-z0-9]{5}$/),
          annotations: { kept: 'yes' },
          labels: { 'batch.kubernetes.io/controller-uid': metadata.uid, 'batch.kubernetes.io/job-name': 'j' },
          ownerReferences: [
            {
              apiVersion: 'batch/v1',
              kind: 'Job',
              name: 'j',
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        });
        await world.end('Succeeded');
        await world.settles({ pods: ['Succeeded'], counts: { succeeded: 1 }, conditions: completed });
        const { status } = await world.job();
        expect(status).toEqual({
          startTime: expect.any(String),
          completionTime: expect.any(String),
          succeeded: 1,
          ready: 0,
          terminating: 0,
          uncountedTerminatedPods: {},
          conditions: completed.map((each) =>
            expect.objectContaining({
              type: each.split(' ')[0],
              message: 'Reached expected number of succeeded pods',
            }),
          ),
        });
      },
    );

    scenario('completions 3, parallelism 2 -> two at a time, one at last, then Complete', async () => {
      const world = await newWorld(stage());
      await world.create({ completions: 3, parallelism: 2 });
      const two = ['Running tracked', 'Running tracked'];
      await world.settles({ pods: two, counts: { active: 2, ready: 2 }, conditions: [] });
      await world.end('Succeeded');
      await world.settles({
        pods: [...two, 'Succeeded'],
        counts: { active: 2, ready: 2, succeeded: 1 },
        conditions: [],
      });
      await world.end('Succeeded');
      await world.settles({
        pods: ['Running tracked', 'Succeeded', 'Succeeded'],
        counts: { active: 1, ready: 1, succeeded: 2 },
        conditions: [],
      });
      await world.end('Succeeded');
      await world.settles({
        pods: ['Succeeded', 'Succeeded', 'Succeeded'],
        counts: { succeeded: 3 },
        conditions: completed,
      });
    });

    scenario(
      'no completions asked for, one pod succeeds -> none in its place; the other does -> Complete',
      async () => {
        const world = await newWorld(stage());
        await world.create({ parallelism: 2 });
        const two = ['Running tracked', 'Running tracked'];
        await world.settles({ pods: two, counts: { active: 2, ready: 2 }, conditions: [] });
        await world.end('Succeeded');
        await world.settles({
          pods: ['Running tracked', 'Succeeded'],
          counts: { active: 1, ready: 1, succeeded: 1 },
          conditions: [],
        });
        await world.end('Succeeded');
        await world.settles({
          pods: ['Succeeded', 'Succeeded'],
          counts: { succeeded: 2 },
          conditions: completed,
        });
      },
    );

    scenario('completions 0 -> Complete at once', async () => {
      const world = await newWorld(stage());
      await world.create({ completions: 0 });
      await world.settles({ pods: [], counts: {}, conditions: completed });
    });

    scenario(
      'Indexed -> pods are told their indexes; those that succeed are in completedIndexes',
      async () => {
        const world = await newWorld(stage());
        await world.create({ completionMode: 'Indexed', completions: 4, parallelism: 4 });
        const tracked = [
          'Running tracked #0',
          'Running tracked #1',
          'Running tracked #2',
          'Running tracked #3',
        ];
        await world.settles({ pods: tracked, counts: { active: 4, ready: 4 }, conditions: [] });
        const second = await world.podOf(1);
        expect(second.metadata.name).toMatch(/^j-1-[a-z0-9]{5}$/);
        expect(second.metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-completion-index': '1' });
        expect(second.spec?.hostname).toBe('j-1');
        expect(second.spec?.containers[0]?.env?.map(({ name }) => name)).toEqual(['JOB_COMPLETION_INDEX']);
        await world.end('Succeeded', 1);
        await world.end('Succeeded', 2);
        await world.end('Succeeded', 3);
        await world.settles({
          pods: ['Running tracked #0', 'Succeeded #1', 'Succeeded #2', 'Succeeded #3'],
          counts: { active: 1, ready: 1, succeeded: 3 },
          indexes: '1-3',
          conditions: [],
        });
        await world.end('Succeeded', 0);
        await world.settles({
          pods: ['Succeeded #0', 'Succeeded #1', 'Succeeded #2', 'Succeeded #3'],
          counts: { succeeded: 4 },
          indexes: '0-3',
          conditions: completed,
        });
      },
    );

    scenario(
      'more pods fail than backoffLimit -> Failed, and the others are ended and counted as failed',
      async () => {
        const world = await newWorld(stage());
        await world.create({ completions: 2, parallelism: 2, backoffLimit: 0 });
        const two = ['Running tracked', 'Running tracked'];
        await world.settles({ pods: two, counts: { active: 2, ready: 2 }, conditions: [] });
        await world.end('Failed');
        await world.settles({
          pods: ['Failed'],
          counts: { failed: 2 },
          conditions: ['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded'],
        });
        expect((await world.job()).status?.completionTime).toBeUndefined();
      },
    );

    scenario(
      'pod is deleted, backoffLimit not reached -> counted as failed, and another one after the back-off',
      async () => {
        const world = await newWorld(stage());
        await world.create({ backoffLimit: 1 });
        await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
        let deletedAt = 0;
        // One that ends well before anybody looks is a success.
        await world.withoutKubelet(async () => {
          const [pod] = await world.pods();
          await stage().client.delete(pods, { namespace: world.namespace, name: pod?.metadata.name ?? '' });
          await until('it counts as failed', async () => {
            const { failed, terminating } = (await world.job()).status ?? {};
            return failed === 1 && terminating === 1;
          });
          deletedAt = deletionOf(await world.pods());
        });
        await until('there is another one', async () => (await world.job()).status?.ready === 1);
        await world.settles({
          pods: ['Running tracked'],
          counts: { active: 1, ready: 1, failed: 1 },
          conditions: [],
        });
        const [other] = await world.pods();
        expect(Date.parse(other?.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(
          deletedAt + firstBackOff,
        );
        await world.end('Succeeded');
        await world.settles({
          pods: ['Succeeded'],
          counts: { succeeded: 1, failed: 1 },
          conditions: completed,
        });
      },
    );

    scenario(
      'podReplacementPolicy Failed, pod is being deleted -> it is waited for, and what it comes to counts',
      async () => {
        const world = await newWorld(stage());
        await world.create({ podReplacementPolicy: 'Failed' });
        await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
        await world.withoutKubelet(async () => {
          const [pod] = await world.pods();
          await stage().client.delete(pods, { namespace: world.namespace, name: pod?.metadata.name ?? '' });
          await world.settles({
            pods: ['Running tracked terminating'],
            counts: { terminating: 1 },
            conditions: [],
          });
        });
        await world.settles({ pods: [], counts: { succeeded: 1 }, conditions: completed });
      },
    );

    scenario('active for activeDeadlineSeconds -> Failed, and its pods are ended', async () => {
      const world = await newWorld(stage());
      await world.create({ activeDeadlineSeconds: 2 });
      await until('its time is over', async () => ((await world.job()).status?.conditions ?? []).length > 0);
      await world.settles({
        pods: [],
        counts: { failed: 1 },
        conditions: ['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded'],
      });
    });

    scenario(
      'suspended -> no pods; resumed -> they run; suspended again -> they go and count as nothing',
      async () => {
        const world = await newWorld(stage());
        await world.create({ suspend: true, parallelism: 2 });
        await world.settles({ pods: [], counts: {}, conditions: ['Suspended True JobSuspended'] });
        expect((await world.job()).status?.startTime).toBeUndefined();
        await world.change({ suspend: false });
        await world.settles({
          pods: ['Running tracked', 'Running tracked'],
          counts: { active: 2, ready: 2 },
          conditions: ['Suspended False JobResumed'],
        });
        expect((await world.job()).status?.startTime).toBeDefined();
        await world.change({ suspend: true });
        await world.settles({ pods: [], counts: {}, conditions: ['Suspended True JobSuspended'] });
        expect((await world.job()).status?.startTime).toBeUndefined();
      },
    );

    scenario('parallelism lowered and raised -> pods go and count as nothing, and come', async () => {
      const world = await newWorld(stage());
      await world.create({ completions: 5, parallelism: 3 });
      const running = (count: number): string[] => Array.from({ length: count }, () => 'Running tracked');
      await world.settles({ pods: running(3), counts: { active: 3, ready: 3 }, conditions: [] });
      await world.change({ parallelism: 1 });
      await world.settles({ pods: running(1), counts: { active: 1, ready: 1 }, conditions: [] });
      await world.change({ parallelism: 0 });
      await world.settles({ pods: [], counts: {}, conditions: [] });
      await world.change({ parallelism: 2 });
      await world.settles({ pods: running(2), counts: { active: 2, ready: 2 }, conditions: [] });
    });

    scenario('orphan whose labels fit -> adopted, with the finalizer', async () => {
      const world = await newWorld(stage());
      const labels = { app: 'j' };
      await stage().client.create(pods, {
        metadata: { namespace: world.namespace, name: 'mine', labels },
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/none' }] },
      });
      await world.create({
        manualSelector: true,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec },
      });
      await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
      expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual(['mine']);
    });

    scenario(
      'finished, ttlSecondsAfterFinished 1 -> it goes after a second, and its pods with it',
      async () => {
        const world = await newWorld(stage());
        await world.create({ ttlSecondsAfterFinished: 1 });
        await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
        await world.end('Succeeded');
        await until('the job is gone', async () => !(await world.isThere()));
        await until('its pods are gone', async () => (await world.pods()).length === 0);
      },
    );

    scenario.each([
      { policy: 'Background', left: [] },
      { policy: 'Foreground', left: [] },
      { policy: 'Orphan', left: ['Running'] },
    ] as const)('deleted, $policy -> of its pods $left are left', async ({ policy, left }) => {
      const world = await newWorld(stage());
      await world.create({});
      await world.settles({ pods: ['Running tracked'], counts: { active: 1, ready: 1 }, conditions: [] });
      await world.deleteJob(policy);
      await world.settles({ pods: left });
      expect(await world.isThere()).toBe(false);
    });
  },
);

const completed = ['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached'];

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/none' }] };

/** What is expected of a Job; what is left out is not looked at. */
interface Expected {
  /** As `phase tracked #index terminating`, the last three where they are so. */
  readonly pods: readonly string[];
  /** Those that are not 0. */
  readonly counts?: Readonly<
    Partial<Record<'active' | 'ready' | 'terminating' | 'succeeded' | 'failed', number>>
  >;
  readonly indexes?: string;
  /** As `type status reason`. */
  readonly conditions?: readonly string[];
}

/** A namespace of its own with the Job `j`. */
interface World {
  readonly namespace: string;
  create(spec: object): Promise<void>;
  /** Merges into the Job's spec. */
  change(spec: object): Promise<void>;
  /** Ends a running pod, that of the index if one is given. */
  end(phase: 'Succeeded' | 'Failed', index?: number): Promise<void>;
  deleteJob(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  isThere(): Promise<boolean>;
  job(): Promise<Job>;
  pods(): Promise<readonly Pod[]>;
  podOf(index: number): Promise<Pod>;
  /** Pods neither start nor end meanwhile. */
  withoutKubelet(during: () => Promise<void>): Promise<void>;
  settles(expected: Expected): Promise<void>;
}

async function newWorld(stage: Stage): Promise<World> {
  const { client, plane } = stage;
  const namespace = `job-${crypto.randomUUID()}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const ref = { namespace, name: 'j' };
  const list = async (): Promise<readonly Pod[]> => (await client.list(pods, namespace)).items;
  const podWith = async (holds: (pod: Pod) => boolean): Promise<Pod> => {
    const pod = (await list()).find(holds);
    if (pod === undefined) {
      throw new Error('there is no such pod');
    }
    return pod;
  };
  const hasIndex = (pod: Pod, index: number | undefined): boolean =>
    index === undefined || indexOf(pod) === String(index);
  const state = async (): Promise<Expected> => {
    const { status } = (await client.get(jobs, ref)) ?? {};
    const { active, ready, terminating, succeeded, failed } = status ?? {};
    const counts = Object.entries({ active, ready, terminating, succeeded, failed });
    return {
      pods: (await list()).map(podSummary).sort(),
      counts: Object.fromEntries(counts.filter(([, count]) => (count ?? 0) !== 0)),
      indexes: status?.completedIndexes ?? '',
      conditions: (status?.conditions ?? []).map(
        (each) => `${each.type} ${each.status} ${each.reason ?? ''}`,
      ),
    };
  };
  return {
    namespace,
    pods: list,
    podOf: (index) => podWith((pod) => hasIndex(pod, index)),
    isThere: async () => (await client.get(jobs, ref)) !== undefined,
    async job() {
      const job = await client.get(jobs, ref);
      if (job === undefined) {
        throw new Error('the job is gone');
      }
      return job;
    },
    async create(spec) {
      const template = { metadata: { annotations: { kept: 'yes' } }, spec: podSpec };
      await client.create(jobs, { metadata: ref, spec: { template, ...spec } });
    },
    async change(spec) {
      const operations = Object.entries(spec).map(
        ([field, value]) => ({ op: 'add', path: `/spec/${field}`, value: value as unknown }) as const,
      );
      await client.patch(jobs, ref, operations);
    },
    async end(phase, index) {
      const { metadata } = await podWith((pod) => pod.status?.phase === 'Running' && hasIndex(pod, index));
      await terminatePod(plane, { namespace, name: metadata.name }, phase);
    },
    async deleteJob(propagationPolicy) {
      await client.delete(jobs, ref, { propagationPolicy });
    },
    withoutKubelet: stage.withoutExtras,
    settles: (expected) =>
      stage.settles(async () => {
        const found = Object.entries(await state());
        return Object.fromEntries(found.filter(([field]) => field in expected));
      }, expected),
  };
}

/** Returns when the first deletion among these was asked for, in milliseconds since the epoch. */
function deletionOf(all: readonly Pod[]): number {
  const terminating = all.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (terminating === undefined) {
    throw new Error('no pod is being deleted');
  }
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = terminating.metadata;
  return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

function indexOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
}

function podSummary(pod: Pod): string {
  const { metadata, status } = pod;
  const index = indexOf(pod);
  return [
    status?.phase,
    ...((metadata.finalizers ?? []).includes('batch.kubernetes.io/job-tracking') ? ['tracked'] : []),
    ...(index === undefined ? [] : [`#${index}`]),
    ...(metadata.deletionTimestamp === undefined ? [] : ['terminating']),
  ].join(' ');
}
