import type { Pod } from './resources.ts';

/** Returns whether the pod is bound to a node. From then on a kubelet might mount its volumes. */
export function isScheduled(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}

/**
 * Returns whether the phase is Succeeded or Failed and no container runs. The phase alone is not enough: a
 * kubelet that evicts a pod sets Failed before its containers have ended (kubernetes#123320). Containers of
 * all kinds count, including sidecars among the init containers.
 *
 * If a node is gone for good, the status of its pods says "running" until they are deleted. Until then they
 * count as running.
 */
export function isTerminated({ status }: Pod): boolean {
  return (
    (status?.phase === 'Succeeded' || status?.phase === 'Failed') &&
    !anyRuns(status.containerStatuses) &&
    !anyRuns(status.initContainerStatuses) &&
    !anyRuns(status.ephemeralContainerStatuses)
  );
}

function anyRuns(
  containers: readonly { readonly state?: { readonly running?: object } }[] | undefined,
): boolean {
  return containers?.some(({ state }) => state?.running !== undefined) ?? false;
}
