import type { Decision } from './decision.ts';
import { namesPod, namesWorkload } from './references.ts';
import { removal } from './removal.ts';
import { isActive, type Situation } from './situation.ts';

/** A reference to an earlier workload or pod of that name is left to the garbage collector. */
export function staleReference({ references, workload, pod, podName }: Situation): Decision | undefined {
  const isStale = references.some(
    (reference) =>
      (namesWorkload(reference, workload) && reference.uid !== workload.uid) ||
      (pod.kind === 'present' && namesPod(reference, podName) && reference.uid !== pod.uid),
  );
  return isStale ? { kind: 'none', reason: 'StaleReference' } : undefined;
}

/**
 * If the claim refers to a pod that is gone, the garbage collector deletes the claim, as the KEP requires,
 * even if its ordinal is wanted again. This does not apply while the workload is being orphaned.
 */
export function doomedWithPod({ references, workload, pod, podName }: Situation): Decision | undefined {
  const isDoomed =
    pod.kind === 'gone' &&
    workload.whenScaled === 'Delete' &&
    workload.deletion !== 'orphaning' &&
    references.some((reference) => namesPod(reference, podName));
  return isDoomed ? { kind: 'none', reason: 'PodGone' } : undefined;
}

/** If another controller has the claim, ours is removed and none is added. */
export function foreignController({
  claim,
  references,
  ours,
  workload,
  podName,
}: Situation): Decision | undefined {
  const isForeign = references.some(
    (reference) =>
      reference.controller === true && !namesWorkload(reference, workload) && !namesPod(reference, podName),
  );
  if (!isForeign) {
    return undefined;
  }
  return ours.length > 0
    ? removal(claim, ours, 'ForeignController')
    : { kind: 'none', reason: isActive(workload) ? 'ForeignController' : 'Settled' };
}
