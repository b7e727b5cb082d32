import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { deployments, jobs, pods } from '@holdfast/core';
import { createApiClient, type ApiClient } from '../../src/controllers/api-client.ts';
import {
  allIdle,
  startController,
  type Controller,
  type RunningController,
} from '../../src/controllers/controller.ts';
import { deploymentController } from '../../src/controllers/deployment/deployment-controller.ts';
import { jobController } from '../../src/controllers/job/job-controller.ts';
import { ttlAfterFinished } from '../../src/controllers/job/ttl-after-finished.ts';
import { kubelet, terminatePod } from '../../src/controllers/kubelet.ts';
import { replicaSetController } from '../../src/controllers/replica-set/replica-set-controller.ts';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import { createFakeClock, type FakeClock } from '../../src/fake-clock.ts';

const namespace = 'default';
const minute = 60_000;

let clock: FakeClock;
let plane: EmbeddedControlPlane;
let client: ApiClient;
let running: RunningController[];

beforeEach(async () => {
  // Timestamps have no fractions of a second, so this begins with none.
  clock = createFakeClock(Date.UTC(2030, 0, 1));
  plane = await startEmbeddedControlPlane({ now: clock.now, tls: false });
  client = createApiClient(plane.kubeconfig, 'test');
  running = [];
});
afterEach(async () => {
  client.close();
  await Promise.all(running.map((controller) => controller.stop()));
  await plane.stop();
});

async function start(...controllers: readonly Controller[]): Promise<void> {
  for (const controller of controllers) {
    running.push(await startController(plane, controller, clock));
  }
}

/** Lets the time pass, and waits for what it brings. */
async function advance(milliseconds: number): Promise<void> {
  await clock.advance(milliseconds);
  await allIdle(running);
}

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
};
const onceTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };

async function createJob(spec: object): Promise<void> {
  await client.create(jobs, {
    metadata: { namespace, name: 'a' },
    spec: { template: onceTemplate, ...spec },
  });
  await allIdle(running);
}

async function jobState(): Promise<readonly string[] | undefined> {
  const job = await client.get(jobs, { namespace, name: 'a' });
  return job === undefined ? undefined : (job.status?.conditions ?? []).map(({ type }) => type);
}

async function endPod(phase: 'Succeeded' | 'Failed'): Promise<void> {
  const { items } = await client.list(pods, namespace);
  const pod = items.find(({ status }) => status?.phase === 'Running');
  await terminatePod(plane, { namespace, name: pod?.metadata.name ?? '' }, phase, clock.now);
  await allIdle(running);
}

async function activePods(): Promise<number> {
  return (await client.get(jobs, { namespace, name: 'a' }))?.status?.active ?? 0;
}

test('job is active for activeDeadlineSeconds -> Failed, not a moment before', async () => {
  await start(jobController, kubelet());
  await createJob({ activeDeadlineSeconds: 600 });
  await advance(10 * minute - 1);
  expect(await jobState()).toStrictEqual([]);
  await advance(1);
  expect(await jobState()).toEqual(['FailureTarget', 'Failed']);
});

test('pods of a job fail again and again -> each back-off is twice as long as the one before', async () => {
  await start(jobController, kubelet());
  await createJob({ backoffLimit: 3 });
  for (const backOff of [10_000, 20_000, 40_000]) {
    await endPod('Failed');
    await advance(backOff - 1);
    expect(await activePods()).toBe(0);
    await advance(1);
    expect(await activePods()).toBe(1);
  }
  await endPod('Failed');
  expect(await jobState()).toEqual(['FailureTarget', 'Failed']);
});

test('job is finished for ttlSecondsAfterFinished -> deleted, not a moment before', async () => {
  await start(jobController, ttlAfterFinished, kubelet());
  await createJob({ ttlSecondsAfterFinished: 60 });
  await endPod('Succeeded');
  await advance(minute - 1);
  expect(await jobState()).toEqual(['SuccessCriteriaMet', 'Complete']);
  await advance(1);
  const job = await client.get(jobs, { namespace, name: 'a' });
  // Its pods go first, and nobody collects them here.
  expect(job?.metadata.deletionTimestamp).toBeDefined();
  expect(job?.metadata.finalizers).toEqual(['foregroundDeletion']);
});

test('job is suspended for longer than its deadline -> it has all of it when it is resumed', async () => {
  await start(jobController, kubelet());
  await createJob({ activeDeadlineSeconds: 60, suspend: true });
  await advance(10 * minute);
  const ref = { namespace, name: 'a' };
  await client.patch(jobs, ref, [{ op: 'replace', path: '/spec/suspend', value: false }]);
  await advance(minute - 1);
  expect(await jobState()).toEqual(['Suspended']);
  await advance(1);
  expect(await jobState()).toEqual(['Suspended', 'FailureTarget', 'Failed']);
});

test('rollout without progress for progressDeadlineSeconds -> it is said, not a moment before', async () => {
  await start(deploymentController, replicaSetController);
  await client.create(deployments, {
    metadata: { namespace, name: 'a' },
    spec: { replicas: 1, progressDeadlineSeconds: 600, selector: { matchLabels: { app: 'a' } }, template },
  });
  await allIdle(running);
  const reason = async (): Promise<string | undefined> => {
    const { status } = (await client.get(deployments, { namespace, name: 'a' })) ?? {};
    return status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  };
  await advance(10 * minute);
  expect(await reason()).toBe('ReplicaSetUpdated');
  await advance(1);
  expect(await reason()).toBe('ProgressDeadlineExceeded');
});
