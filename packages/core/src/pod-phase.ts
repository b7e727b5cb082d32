import type { Pod } from './resources.ts';

/** Bound to a node: from now on a kubelet may mount its volumes. */
export function isScheduled(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}

/**
 * Phase Succeeded or Failed, and no container runs. The phase alone does not say so: a kubelet that evicts a pod sets Failed before its
 * containers have ended (kubernetes#123320). Containers of all kinds count, a sidecar among the init containers too.
 *
 * A node that is gone for good leaves "running" in the status of its pods until they are deleted: they count as running till then.
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
