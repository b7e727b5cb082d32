import { guardedPatch, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import {
  ApiError,
  find,
  guardedWrite,
  isNotFound,
  type Clock,
  type ConnectedClient,
} from '@holdfast/runtime';
import { deployments, mightRun, type Container, type Deployment } from '../cluster/deployment.ts';
import { followAnswers, type FollowAnswersOptions } from '../follow/follow-answers.ts';
import { whyOfOthers } from './others-webhooks.ts';
import { jobName, leavingOf, type Leaving, type UninstallJob } from './uninstall-plan.ts';

export interface Job extends KubernetesObject {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } } };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

export const jobs: ApiResource<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

/** What happened to one Deployment. */
export interface Left {
  readonly leaving: Leaving;
  readonly result: 'left' | 'byHand' | 'failed';
  readonly note: string;
}

export interface CarryOutOptions extends Pick<FollowAnswersOptions<unknown>, 'logger'> {
  readonly client: ConnectedClient;
  readonly clock: Clock;
  /** Decides again, right before the Job, whether the cluster still allows it. */
  readonly look: (leaving: Leaving) => Promise<Leaving>;
  /** Milliseconds to wait for the Deployment's pods to go, and again for the Job to end. */
  readonly timeout: number;
  /** Called for each step before it is taken. */
  readonly say: (step: string) => void;
  readonly signal: AbortSignal;
}

/** How often a Deployment that keeps changing between read and write is read again. */
const mostLooks = 5;

/**
 * Takes the steps that uninstall one Deployment. It can be run again: finished steps are not repeated, and an
 * unfinished Job of an earlier run is waited for. A complete Job of an earlier run does not cover what the
 * controller has done since, so another one is run.
 *
 * @throws the signal's reason before the next step, once it is aborted; what the client throws
 */
export async function carryOut(leaving: Leaving, options: CarryOutOptions): Promise<Left> {
  const { namespace, deployment, course } = leaving;
  const { client, signal } = options;
  if (course.kind === 'byHand') {
    return { leaving, result: 'byHand', note: `${course.why}: ${course.how}` };
  }
  const say = (step: string): void => {
    signal.throwIfAborted();
    options.say(step);
  };
  const { name } = deployment.metadata;
  // Looked for first: nobody who may not read Jobs should stop the controller.
  const first = course.job === undefined ? undefined : await nextJob(leaving, course.job, client);
  if (first?.trouble !== undefined) {
    return failed(leaving, first.trouble);
  }
  const ref = { namespace, name };
  const change = changeOf(leaving, await find(client, deployments, ref));
  if (change !== undefined) {
    return failed(leaving, change);
  }
  for (const { resource, ref: webhook } of course.webhooks) {
    const found = await find(client, resource, webhook);
    const ofOthers = found === undefined ? undefined : whyOfOthers(found, namespace);
    if (ofOthers !== undefined) {
      say(`Leaving ${resource.kind} ${webhook.name} alone: ${ofOthers}`);
    } else if (found !== undefined) {
      const { uid } = found.metadata;
      say(`Deleting ${resource.kind} ${webhook.name}`);
      await unlessGone(() => client.delete(resource, webhook, { preconditions: { uid } }));
    }
  }
  say(`Scaling deployment ${namespace}/${name} to zero`);
  const trouble = await scaleToZero(leaving, options);
  if (trouble !== undefined) {
    return failed(leaving, trouble);
  }
  if (!(await awaitObject(deployments, ref, isEmpty, options))) {
    return failed(leaving, `pods of deployment ${name} are still there`);
  }
  if (course.job === undefined) {
    return { leaving, result: 'left', note: course.atLast };
  }
  const { jobRef, earlier, trouble: other } = await nextJob(leaving, course.job, client);
  const notRun = (why: string): Left =>
    failed(leaving, `it is scaled to zero, but job ${jobRef.name} was not run: ${why}`);
  const now = await options.look(leaving);
  if (now.course.kind === 'byHand') {
    return notRun(`${now.course.why}: ${now.course.how}`);
  }
  if (other !== undefined) {
    return notRun(other);
  }
  let job = earlier;
  if (job === undefined) {
    say(`Running job ${namespace}/${jobRef.name}`);
    const metadata = { ...course.job.metadata, name: jobRef.name };
    try {
      job = await client.create<Job>(jobs, namespace, { ...course.job, metadata });
    } catch (error) {
      if (error instanceof ApiError) {
        return notRun(error.message);
      }
      throw error;
    }
  } else {
    say(`Waiting for job ${namespace}/${jobRef.name} of an earlier run`);
  }
  const { uid } = job.metadata;
  let end: string | undefined;
  await awaitObject(
    jobs,
    jobRef,
    (found) => {
      end = endOf(found?.metadata.uid === uid ? found : undefined);
      return end !== undefined;
    },
    options,
  );
  switch (end) {
    case 'Complete': {
      const found = await find(client, deployments, ref);
      return found !== undefined && (found.spec?.replicas ?? 1) > 0
        ? failed(
            leaving,
            `something scaled deployment ${name} up again, and it may have put back what job ${jobRef.name} removed: stop that, such as an operator or a pipeline, and run this again`,
          )
        : {
            ...{ leaving, result: 'left' },
            note: `read what it left and why: ${logOf(jobRef)}; then ${course.atLast}`,
          };
    }
    case 'Gone':
      return failed(leaving, `job ${jobRef.name} was deleted before it ended`);
    default:
      return failed(leaving, unended(jobRef, end));
  }
}

interface NextJob {
  readonly jobRef: Required<ObjectRef>;
  readonly earlier: Job | undefined;
  /** Why it can't be run. */
  readonly trouble: string | undefined;
}

/**
 * Finds the Job of the first run that has not completed, or else the name for the next run. Complete Jobs stay,
 * since nothing else has their logs.
 */
async function nextJob(
  { namespace, deployment }: Leaving,
  job: UninstallJob,
  client: ConnectedClient,
): Promise<NextJob> {
  for (let run = 1; ; run += 1) {
    const jobRef = { namespace, name: jobName(deployment, run) };
    const earlier = await find(client, jobs, jobRef);
    if (endOf(earlier) !== 'Complete') {
      const trouble =
        earlier === undefined
          ? undefined
          : isSame(earlier, job)
            ? endOf(earlier) === 'Failed'
              ? unended(jobRef, 'Failed')
              : undefined
            : `job ${jobRef.name} of an earlier run has not completed, and was made with other flags or variables: delete it, and run this again`;
      return { jobRef, earlier, trouble };
    }
  }
}

function unended(jobRef: Required<ObjectRef>, end: string | undefined): string {
  return end === undefined
    ? `job ${jobRef.name} has not ended: ${logOf(jobRef)}; run this again to wait for it`
    : `job ${jobRef.name} failed: ${logOf(jobRef)}; delete the job, and run this again`;
}

function logOf({ namespace, name }: Required<ObjectRef>): string {
  return `kubectl logs job/${name} -n ${namespace}`;
}

/** Whether a Job does what another one would do: the API server adds defaults, so not all of it can be equal. */
export function isSame(earlier: Job, job: UninstallJob): boolean {
  const [mine, others] = [job as Job, earlier].map(({ spec }) =>
    JSON.stringify(
      spec?.template?.spec?.containers?.map(({ image, command, args, env, envFrom }) => [
        ...[image, command, args, env, envFrom],
      ]),
    ),
  );
  return mine === others;
}

/** @returns why it could not be scaled */
async function scaleToZero(
  leaving: Leaving,
  { client, signal }: CarryOutOptions,
): Promise<string | undefined> {
  const {
    namespace,
    deployment: { metadata },
  } = leaving;
  const ref = { namespace, name: metadata.name };
  for (let look = 0; look < mostLooks; look += 1) {
    const found = await find(client, deployments, ref);
    if (found === undefined || found.spec?.replicas === 0) {
      return undefined;
    }
    const change = changeOf(leaving, found);
    if (change !== undefined) {
      return change;
    }
    signal.throwIfAborted();
    const written = await guardedWrite(() =>
      client.patch(
        deployments,
        ref,
        guardedPatch(found, [
          { op: 'test', path: '/metadata/resourceVersion', value: found.metadata.resourceVersion },
          { op: 'replace', path: '/spec/replicas', value: 0 },
        ]),
      ),
    );
    switch (written.kind) {
      case 'written':
      case 'gone':
        return undefined;
      case 'failed':
        throw written.error;
      case 'outdated':
    }
  }
  return `deployment ${metadata.name} keeps changing; run this again`;
}

/** @returns how the Deployment differs from the one that was shown, since it is then left alone */
function changeOf(
  { deployment: { metadata }, course }: Leaving,
  found: Deployment | undefined,
): string | undefined {
  if (found === undefined) {
    return undefined;
  }
  if (found.metadata.uid !== metadata.uid) {
    return `another deployment ${metadata.name} was made meanwhile; run this again`;
  }
  return JSON.stringify(leavingOf(found)?.course) === JSON.stringify(course)
    ? undefined
    : `deployment ${metadata.name} was changed meanwhile; run this again`;
}

function failed(leaving: Leaving, note: string): Left {
  return { leaving, result: 'failed', note };
}

function isEmpty(deployment: Deployment | undefined): boolean {
  return deployment === undefined || !mightRun(deployment);
}

function endOf(job: Job | undefined): string | undefined {
  return job === undefined
    ? 'Gone'
    : job.status?.conditions?.find(
        ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
      )?.type;
}

/** Whether the object reaches the state within the time. */
async function awaitObject<T extends KubernetesObject>(
  resource: ApiResource<T>,
  ref: ObjectRef,
  isSo: (object: T | undefined) => boolean,
  { client, clock, logger, timeout, signal }: CarryOutOptions,
): Promise<boolean> {
  const stop = new AbortController();
  const timer = clock.after(timeout, () => stop.abort(new Error('it took too long')));
  let came = false;
  try {
    await followAnswers(
      {
        ...{ client, clock, logger, asksAgain: true },
        ask: (followed) => find(followed, resource, ref),
        show: async (object) => {
          if (isSo(object)) {
            came = true;
            stop.abort(new Error('it came'));
          }
          await Promise.resolve();
        },
        onTrouble: () => undefined,
        onError: () => undefined,
      },
      AbortSignal.any([stop.signal, signal]),
    );
  } finally {
    timer.cancel();
  }
  signal.throwIfAborted();
  return came;
}

async function unlessGone(asked: () => Promise<void>): Promise<void> {
  try {
    await asked();
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
  }
}
