import type { JsonObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { forbidden, type StatusError, tooManyRequests } from '../meta/status-error.ts';
import { formatTime } from '../schema/decode.ts';
import { matcherOf } from '../selectors/label-selector.ts';
import type { Pod } from './pod-object.ts';

/*
 * Decides whether PodDisruptionBudgets allow the eviction of a pod
 * (pkg/registry/core/pod/storage/eviction.go).
 */

interface Condition extends JsonObject {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export interface DisruptionBudget extends KubeObject {
  spec: {
    selector?: LabelSelector;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  };
  status: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: { [pod: string]: string };
    conditions?: Condition[];
  };
}

/** How to answer an eviction. */
export type EvictionDecision =
  | { readonly kind: 'evict' }
  /** Evict, after the budget has been written. */
  | { readonly kind: 'evict and count'; readonly budget: DisruptionBudget }
  | { readonly kind: 'refuse'; readonly error: StatusError }
  /** Several budgets select the pod, which the eviction API does not support. */
  | { readonly kind: 'undecided' };

/** The most evictions of a budget that the disruption controller may not have processed yet. */
const mostDisrupted = 2_000;
const message = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * @param budgets of the pod's namespace
 * @param now milliseconds since the epoch
 */
export function decideEviction(
  pod: Pod,
  budgets: readonly DisruptionBudget[],
  now: number,
): EvictionDecision {
  const { phase } = pod.status;
  const isOver = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  if (isOver || pod.metadata.deletionTimestamp !== undefined) {
    return { kind: 'evict' };
  }
  const [budget, ...others] = budgets.filter(({ spec }) => matcherOf(spec.selector)(pod.metadata.labels));
  if (budget === undefined) {
    return { kind: 'evict' };
  }
  if (others.length > 0) {
    return { kind: 'undecided' };
  }
  if (!isReady(pod)) {
    const { currentHealthy = 0, desiredHealthy = 0 } = budget.status;
    const isBudgetKept = currentHealthy >= desiredHealthy && desiredHealthy > 0;
    if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isBudgetKept) {
      return { kind: 'evict' };
    }
  }
  return spend(budget, pod.metadata.name ?? '', now);
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function spend(budget: DisruptionBudget, pod: string, now: number): EvictionDecision {
  const { metadata, status } = budget;
  const { name = '', generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (observedGeneration < generation) {
    const problem = `The disruption budget ${name} is still being processed by the server.`;
    return refuse(tooManyRequests(message, 10, [causeOf(problem)]));
  }
  const resource = { group: 'policy', name: 'poddisruptionbudget' };
  if (disruptionsAllowed < 0) {
    return refuse(forbidden(resource, name, 'pdb disruptions allowed is negative'));
  }
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    const problem = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return refuse(forbidden(resource, name, problem));
  }
  if (disruptionsAllowed === 0) {
    return refuse(tooManyRequests(message, 0, [causeOf(whyNone(budget))]));
  }
  const time = formatTime(now);
  return {
    kind: 'evict and count',
    budget: {
      ...budget,
      status: {
        ...status,
        disruptionsAllowed: disruptionsAllowed - 1,
        disruptedPods: { ...disruptedPods, [pod]: time },
        ...(disruptionsAllowed === 1 ? { conditions: withoutRoom(status, time) } : undefined),
      },
    },
  };
}

function refuse(error: StatusError): EvictionDecision {
  return { kind: 'refuse', error };
}

function causeOf(problem: string): { reason: string; message: string } {
  return { reason: 'DisruptionBudget', message: problem };
}

function whyNone({ metadata: { name = '' }, status }: DisruptionBudget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status;
  const none = `The disruption budget ${name} does not allow evicting pods currently`;
  const said = conditions.find(
    (condition) =>
      condition.type === 'DisruptionAllowed' && condition.status === 'False' && condition.message !== '',
  );
  if (said?.reason === 'SyncFailed') {
    return `${none} because it failed sync: ${said.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return said === undefined ? none : `${none} (${said.reason}): ${said.message}`;
}

function withoutRoom(
  { conditions = [], observedGeneration }: DisruptionBudget['status'],
  time: string,
): Condition[] {
  const wanted = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    ...(observedGeneration === undefined ? undefined : { observedGeneration }),
  };
  const before = conditions.find(({ type }) => type === wanted.type);
  if (before === undefined) {
    return [...conditions, { ...wanted, lastTransitionTime: time }];
  }
  const lastTransitionTime = before.status === wanted.status ? before.lastTransitionTime : time;
  return conditions.map((condition) =>
    condition === before ? { ...wanted, lastTransitionTime } : condition,
  );
}
