import { isTerminating, jobs, ownerReference, type Job, type Pod } from '@holdfast/core';
import type { NamelessDraft } from '../api-client.ts';
import { inDeletionOrder } from '../pods/deletion-order.ts';
import { podFromTemplate, podPrefix } from '../pods/pod-from-template.ts';
import { isActive, isEnding } from '../pods/pod-state.ts';
import {
  accountsOf,
  activeDeadlineIn,
  hasStatus,
  interimOf,
  type Accounts,
  type Situation,
} from './accounts.ts';
import { backOffLeft, withEnded, type Failures } from './back-off.ts';
import { freeIndexes, indexAnnotation, indexOf, parseIndexes } from './indexes.ts';
import {
  hasFailed,
  isIndexed,
  isSuspended,
  isTracked,
  trackingFinalizer,
  waitsForEnds,
  type JobStatus,
} from './job.ts';

/** What the decision about a Job is based on. The Job is not finished. */
export interface Snapshot extends Situation {
  readonly failures: Failures;
}

/** What to do next. The Job is looked at again after each step. */
export type Step =
  /** Write the status, and remember these failures once it is written. */
  | { readonly kind: 'status'; readonly status: JobStatus; readonly failures: Failures }
  /** Remove the finalizer from pods that are in the accounts. */
  | { readonly kind: 'untrack'; readonly pods: readonly Pod[] }
  /** Delete pods that are in the accounts. */
  | { readonly kind: 'end'; readonly pods: readonly Pod[] }
  /** Remove the finalizer from pods and delete them, so that they are not counted. */
  | { readonly kind: 'discard'; readonly pods: readonly Pod[] }
  | { readonly kind: 'create'; readonly drafts: readonly NamelessDraft[] }
  /** Do nothing until something happens or a time has passed. */
  | { readonly kind: 'none'; readonly deadlineIn: number | undefined };

/** The maximum number of pods that one look creates or deletes; the next look continues. */
const burst = 500;

/**
 * Decides the next step by the first matching line. Accounts come first, so that nothing is done to a pod
 * before the status includes it.
 *
 *     the Job                                          step
 *     has another status than its accounts say         write it (accounts.ts)
 *     has failed, pods are active                      end them
 *     has pods whose end is in the accounts, or ends   take off their finalizers
 *     ends, or is being deleted                        nothing
 *     is suspended                                     discard all active pods
 *     has more pods than it wants, of an index twice,
 *       or of an index that is none of its own         discard those, see deletion-order.ts
 *     wants more pods, and one failed a moment ago     nothing, till the end of the back-off
 *     wants more pods                                  create them, of the lowest free indexes
 *
 * The Job wants `parallelism` pods, but no more than it lacks completions. If it asks for no number of
 * completions, it wants none after the first success.
 */
export function decide(snapshot: Snapshot): Step {
  const { job, pods, now, failures } = snapshot;
  const accounts = accountsOf(snapshot);
  if (!hasStatus(job, accounts.status)) {
    const { status, newlySucceeded, newlyFailed } = accounts;
    return { kind: 'status', status, failures: withEnded(failures, newlySucceeded, newlyFailed) };
  }
  const active = pods.filter(isActive);
  const interim = interimOf(job);
  if (interim?.type === 'FailureTarget' && active.length > 0) {
    return { kind: 'end', pods: active };
  }
  const isOver = interim !== undefined || isTerminating(job);
  const counted = pods.filter(
    (pod) => isTracked(pod) && (isOver || pod.status?.phase === 'Succeeded' || hasFailed(job, pod)),
  );
  if (counted.length > 0) {
    return { kind: 'untrack', pods: counted.slice(0, burst) };
  }
  const deadlineIn = activeDeadlineIn(job, now);
  return isOver ? { kind: 'none', deadlineIn: undefined } : manage(snapshot, accounts, active, deadlineIn);
}

function manage(
  { job, pods, now, failures }: Snapshot,
  { succeeded }: Accounts,
  active: readonly Pod[],
  deadlineIn: number | undefined,
): Step {
  const wanted = isSuspended(job) ? 0 : wantedPods(job, succeeded, active.length);
  const surplus = surplusPods(job, active, active.length - wanted);
  if (surplus.length > 0) {
    return { kind: 'discard', pods: surplus.slice(0, burst) };
  }
  const ending = waitsForEnds(job) ? pods.filter(isEnding) : [];
  const missing = Math.min(wanted - ending.length - active.length, burst);
  const taken = new Set([...active, ...ending].flatMap((pod) => indexOf(pod) ?? []));
  const { completions = 0 } = job.spec ?? {};
  const completed = parseIndexes(job.status?.completedIndexes, completions);
  const indexes = isIndexed(job)
    ? freeIndexes(new Set([...taken, ...completed]), completions, missing)
    : Array.from({ length: Math.max(0, missing) }, () => undefined);
  if (indexes.length === 0) {
    return { kind: 'none', deadlineIn };
  }
  const backOff = backOffLeft(failures, now);
  return backOff > 0
    ? { kind: 'none', deadlineIn: Math.min(backOff, deadlineIn ?? Infinity) }
    : { kind: 'create', drafts: indexes.map((index) => podDraft(job, index)) };
}

function wantedPods({ spec }: Job, succeeded: number, active: number): number {
  const { completions, parallelism = 1 } = spec ?? {};
  if (completions === undefined) {
    return succeeded > 0 ? active : parallelism;
  }
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/**
 * Returns the pods that must go in any case, and others until enough have gone. Of the pods with the same
 * index the best one stays.
 */
function surplusPods(job: Job, active: readonly Pod[], count: number): readonly Pod[] {
  const ordered = inDeletionOrder(active);
  const { completions = 0 } = job.spec ?? {};
  const best = new Map(ordered.map((pod) => [indexOf(pod), pod]));
  const isWrong = (pod: Pod): boolean => {
    const index = indexOf(pod);
    return isIndexed(job) && (index === undefined || index >= completions || best.get(index) !== pod);
  };
  const wrong = ordered.filter(isWrong);
  const others = ordered.filter((pod) => !isWrong(pod));
  return [...wrong, ...others.slice(0, Math.max(0, count - wrong.length))];
}

const indexVariable = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
};

/** The longest prefix of a generated name. The server cuts a longer one, and the index with it. */
const longestPrefix = 58;

function podDraft(job: Job, index: number | undefined): NamelessDraft {
  const { name, namespace = '' } = job.metadata;
  const owner = ownerReference(jobs, job, { metadata: { namespace } }, { controller: true });
  const { metadata = {}, spec } = job.spec?.template ?? {};
  const finalizers = [...new Set([...(metadata.finalizers ?? []), trackingFinalizer])];
  if (index === undefined) {
    const template = { metadata: { ...metadata, finalizers }, spec };
    return podFromTemplate(template, { namespace, generateName: podPrefix(name), owner });
  }
  const mark = { [indexAnnotation]: String(index) };
  const suffix = `-${index}-`;
  const template = {
    metadata: {
      ...metadata,
      finalizers,
      labels: { ...metadata.labels, ...mark },
      annotations: { ...metadata.annotations, ...mark },
    },
    spec: withIndexVariable({ ...spec, containers: spec?.containers ?? [], hostname: `${name}-${index}` }),
  };
  const generateName = `${name.slice(0, longestPrefix - suffix.length)}${suffix}`;
  return podFromTemplate(template, { namespace, generateName, owner });
}

/**
 * Passes the index to each container in a variable, unless the container already has a variable of that name.
 */
function withIndexVariable(spec: NonNullable<Pod['spec']>): NonNullable<Pod['spec']> {
  const told = <T extends { readonly env?: readonly { readonly name: string }[] }>(container: T): T =>
    container.env?.some(({ name }) => name === indexVariable.name) === true
      ? container
      : { ...container, env: [...(container.env ?? []), indexVariable] };
  return {
    ...spec,
    containers: spec.containers.map(told),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(told) }),
  };
}
