import { isTerminating, type Pod } from '@holdfast/core';

/** What a pod counts as to those that make pods, by its phase alone, as in pkg/controller: what its containers do is the kubelet's business. */

/** Succeeded or Failed. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Neither over nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isOver(pod) && !isTerminating(pod);
}

/** Being deleted and not over yet. */
export function isEnding(pod: Pod): boolean {
  return !isOver(pod) && isTerminating(pod);
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod) !== undefined;
}

/** Since when it is ready, milliseconds since the epoch; undefined when it is not, or does not say. */
export function readySince(pod: Pod): number | undefined {
  const time = readyCondition(pod)?.lastTransitionTime;
  return time === undefined ? undefined : Date.parse(time);
}

/**
 * Milliseconds until a ready pod has been so for that long, 0 when it has. Undefined for one that is not ready, or whose time is unknown
 * and asked for.
 *
 * @param minReadySeconds of its owner
 * @param now milliseconds since the epoch
 */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) {
    return undefined;
  }
  if (minReadySeconds === 0) {
    return 0;
  }
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

function readyCondition({ status }: Pod): { readonly lastTransitionTime?: string } | undefined {
  return status?.conditions?.find((condition) => condition.type === 'Ready' && condition.status === 'True');
}
