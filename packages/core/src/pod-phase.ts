import type { Pod } from './resources.ts';

/** Bound to a node: from now on a kubelet may mount its volumes. */
export function isScheduled(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}

/** Phase Succeeded or Failed: no container of the pod runs or will run again. */
export function isTerminated(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
