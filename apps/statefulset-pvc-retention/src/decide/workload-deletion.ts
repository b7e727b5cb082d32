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

/** Nothing is added any more; those of ours go that the policy does not call for. */
export function workloadTerminating({
  claim,
  ours,
  workload,
  podName,
  isScaledDown,
}: Situation): Decision | undefined {
  if (workload.deletion !== 'underWay') {
    return undefined;
  }
  const unjustified = ours.filter(
    (reference) => workload.whenDeleted === 'Retain' && !(isScaledDown && namesPod(reference, podName)),
  );
  return unjustified.length > 0
    ? removal(claim, unjustified, 'PolicyRetains')
    : { kind: 'none', reason: 'WorkloadTerminating' };
}
