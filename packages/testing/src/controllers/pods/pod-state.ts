import { isTerminating, type Pod } from '@holdfast/core';

/**
 * How controllers count a pod, by its phase alone, as in pkg/controller: the state of its containers matters
 * only to the kubelet.
 */

/** Whether the pod has Succeeded or Failed. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether the pod has neither ended nor is being deleted. */
export function isActive(pod: Pod): boolean {
  return !isOver(pod) && !isTerminating(pod);
}

/** Whether the pod is being deleted and has not ended yet. */
export function isEnding(pod: Pod): boolean {
  return !isOver(pod) && isTerminating(pod);
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod) !== undefined;
}

/**
 * Since when the pod has been ready, milliseconds since the epoch; undefined if it is not ready or does not
 * say since when.
 */
export function readySince(pod: Pod): number | undefined {
  const time = readyCondition(pod)?.lastTransitionTime;
  return time === undefined ? undefined : Date.parse(time);
}

/**
 * Returns the milliseconds until a ready pod has been ready for that long, 0 if it has. Undefined if the pod
 * is not ready, or if the time matters but is unknown.
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
