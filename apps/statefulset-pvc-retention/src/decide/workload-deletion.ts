import type { Decision } from './decision.ts';
import { namesPod } from './references.ts';
import { removal } from './removal.ts';
import type { Situation } from './situation.ts';

/** The workload's dependents are to survive it, and so are claims that would go with its pods. */
export function workloadOrphaning({ claim, ours, workload }: Situation): Decision | undefined {
  if (workload.deletion !== 'orphaning') {
    return undefined;
  }
  return ours.length > 0
    ? removal(claim, ours, 'WorkloadOrphans')
    : { kind: 'none', reason: 'WorkloadTerminating' };
}

/**
 * Nothing is added any more, and those of ours are removed that the policy does not require. So is the
 * reference to a pod without a controller: the workload was orphaned, even if only others' finalizers keep it
 * by now, and a scaled-down claim would be deleted with a pod that is to survive.
 */
export function workloadTerminating({
  claim,
  ours,
  workload,
  pod,
  podName,
  isScaledDown,
  shared,
}: Situation): Decision | undefined {
  if (workload.deletion !== 'underWay') {
    return undefined;
  }
  const own = ours.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === false);
  if (shared && own.length > 0) {
    return removal(claim, own, 'SharedName');
  }
  const orphaned = ours.filter(
    (reference) => namesPod(reference, podName) && pod.kind === 'present' && !pod.ofWorkload,
  );
  const unjustified = ours.filter(
    (reference) =>
      orphaned.includes(reference) ||
      (workload.whenDeleted === 'Retain' && !(isScaledDown && namesPod(reference, podName))),
  );
  return unjustified.length > 0
    ? removal(claim, unjustified, orphaned.length > 0 ? 'PodOrphaned' : 'PolicyRetains')
    : { kind: 'none', reason: 'WorkloadTerminating' };
}
