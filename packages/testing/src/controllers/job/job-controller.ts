import {
  controllerOf,
  isControlledBy,
  jobs,
  keyOf,
  labelMatcher,
  objectKey,
  pods,
  removeFinalizerPatch,
  type Job,
  type LabelMatcher,
  type Pod,
} from '@holdfast/core';
import { ApiError, type ApiClient } from '../api-client.ts';
import type { Controller } from '../controller.ts';
import { claimObjects, ownerKeys, refOf } from '../ownership.ts';
import { createOwnWrites } from '../own-writes.ts';
import { noFailures, type Failures } from './back-off.ts';
import { decide, type Step } from './decide.ts';
import { finishOf, isTracked, trackingFinalizer } from './job.ts';

const managedBy = 'kubernetes.io/job-controller';

/**
 * Stands in for kube-controller-manager's Job controller (pkg/controller/job) as of 1.36: parallelism,
 * completions with and without indexes, back-off and its limit, the deadline, suspension, adoption, and the
 * accounting of pods by finalizers.
 *
 * It sends no Events and creates all missing pods at once, without upstream's slow start. It ignores
 * `backoffLimitPerIndex`, `maxFailedIndexes`, `podFailurePolicy` and `successPolicy`, except that pods under
 * a failure policy are replaced only after they have ended. It leaves alone Jobs with another `managedBy`.
 */
export const jobController: Controller = {
  name: 'job-controller',
  async setUp(stage) {
    const { client, now, watch } = stage;
    const writes = createOwnWrites(stage);
    const failuresOf = new Map<string, Failures>();
    const cache = await watch(jobs, ({ object, isGone }) => {
      if (isGone || finishOf(object) !== undefined) {
        failuresOf.delete(object.metadata.uid);
      }
      return [objectKey(object)];
    });
    const podCache = await watch(pods, (change) => [
      ...ownerKeys('Job', cache, selects, change),
      ...(isTracked(change.object) && controllerOf(change.object) === undefined
        ? [`${orphan}${objectKey(change.object)}`]
        : []),
    ]);

    /**
     * Pods of a Job that is gone or finished, and pods without a Job, will not be counted, so nothing has to
     * keep them.
     */
    async function letGo(left: readonly Pod[]): Promise<void> {
      for (const pod of left) {
        await untrack(client, pod);
      }
    }

    return async (key) => {
      if (key.startsWith(orphan)) {
        const pod = podCache.get(key.slice(orphan.length));
        const isLeft = pod !== undefined && isTracked(pod) && controllerOf(pod) === undefined;
        return letGo(isLeft ? [pod] : []).then(() => undefined);
      }
      const job = cache.get(key);
      if (!writes.areSeen(key) || (job?.spec?.managedBy ?? managedBy) !== managedBy) {
        return undefined;
      }
      await letGo(
        podCache.list().filter((pod) => {
          const isLeft = job === undefined || finishOf(job) !== undefined || !isControlledBy(pod, job);
          return isTracked(pod) && isNamedOwner(pod, key) && isLeft;
        }),
      );
      if (job === undefined || finishOf(job) !== undefined) {
        return undefined;
      }
      const own = await claimObjects({
        client,
        owner: job,
        ownerResource: jobs,
        resource: pods,
        objects: podCache.list(),
        fits: selects(job),
        finalizer: trackingFinalizer,
        note: ({ metadata }) => writes.note(key, pods, metadata.resourceVersion),
      });
      const known = failuresOf.get(job.metadata.uid) ?? noFailures;
      const step = decide({ job, pods: own, failures: known, now: now() });
      if (step.kind === 'none') {
        return step.deadlineIn === undefined ? undefined : { deadlineIn: Math.max(0, step.deadlineIn) };
      }
      if (step.kind === 'status') {
        const written = await client.update(jobs, { ...job, status: step.status }, 'status');
        writes.note(key, jobs, written.metadata.resourceVersion);
        failuresOf.set(job.metadata.uid, step.failures);
        return undefined;
      }
      await work(client, step, (version) => writes.note(key, pods, version));
      return undefined;
    };
  },
};

const orphan = 'orphan ';

function isNamedOwner(pod: Pod, key: string): boolean {
  const controller = controllerOf(pod);
  const { namespace = '' } = pod.metadata;
  return (
    controller?.apiVersion === 'batch/v1' &&
    controller.kind === 'Job' &&
    keyOf({ namespace, name: controller.name }) === key
  );
}

async function work(
  client: ApiClient,
  step: Exclude<Step, { kind: 'none' | 'status' }>,
  note: (version: string | undefined) => void,
): Promise<void> {
  switch (step.kind) {
    case 'untrack':
      for (const pod of step.pods) {
        note(await untrack(client, pod));
      }
      break;
    case 'end':
      for (const pod of step.pods) {
        note(await end(client, pod));
      }
      break;
    case 'discard':
      for (const pod of step.pods) {
        note(await untrack(client, pod));
        note(await end(client, pod));
      }
      break;
    case 'create':
      for (const draft of step.drafts) {
        note(await create(client, draft));
      }
  }
}

/** Undefined in a namespace that is being deleted: every try fails there, and the Job will be deleted too. */
async function create(
  client: ApiClient,
  draft: Parameters<ApiClient['create']>[1],
): Promise<string | undefined> {
  try {
    return (await client.create(pods, draft)).metadata.resourceVersion;
  } catch (error) {
    if (error instanceof ApiError && error.causes.includes('NamespaceTerminating')) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the version of the pod without its finalizer; undefined if the pod has none. */
async function untrack(client: ApiClient, pod: Pod): Promise<string | undefined> {
  if (!isTracked(pod)) {
    return undefined;
  }
  return ifThere(async () => {
    const patch = removeFinalizerPatch(pod, trackingFinalizer);
    return (await client.patch(pods, refOf(pod), patch)).metadata.resourceVersion;
  });
}

function end(client: ApiClient, pod: Pod): Promise<string | undefined> {
  return ifThere(() => client.delete(pods, refOf(pod), { preconditions: { uid: pod.metadata.uid } }));
}

async function ifThere(write: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}

function selects({ spec }: Job): LabelMatcher {
  return labelMatcher(spec?.selector);
}
