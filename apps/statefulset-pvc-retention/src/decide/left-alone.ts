import type { Decision } from './decision.ts';
import { namesPod, namesWorkload } from './references.ts';
import { removal } from './removal.ts';
import { isActive, type Situation } from './situation.ts';

/** A reference to an earlier workload or pod of the name: the garbage collector judges it. */
export function staleReference({ references, workload, pod, podName }: Situation): Decision | undefined {
  const isStale = references.some(
    (reference) =>
      (namesWorkload(reference, workload) && reference.uid !== workload.uid) ||
      (pod.kind === 'present' && namesPod(reference, podName) && reference.uid !== pod.uid),
  );
  return isStale ? { kind: 'none', reason: 'StaleReference' } : undefined;
}

/**
 * A reference to a pod that is gone: the garbage collector deletes the claim, as the KEP has it, even when its ordinal is wanted
 * again. Not so while the workload is being orphaned.
 */
export function doomedWithPod({ references, workload, pod, podName }: Situation): Decision | undefined {
  const isDoomed =
    pod.kind === 'gone' &&
    workload.whenScaled === 'Delete' &&
    workload.deletion !== 'orphaning' &&
    references.some((reference) => namesPod(reference, podName));
  return isDoomed ? { kind: 'none', reason: 'PodGone' } : undefined;
}

/** Another controller has the claim: ours goes, and none is added. */
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
