import { isTerminating } from '@holdfast/core';
import type { OwnersDecision } from './decision.ts';
import { isHeld } from './hold.ts';
import { knownPod } from './known-pod.ts';
import { judge } from './policy.ts';
import { namesPod, ownReferences } from './references.ts';
import { removal, withoutAdding } from './removal.ts';
import { situationOf } from './situation.ts';
import type { Snapshot, WorkloadFacts } from './snapshot.ts';

/**
 * Looks back after a reference was added. If the workload changed between the look and the write, what was
 * added is removed at once; otherwise the hold that was written with it is removed. A workload that has
 * vanished meanwhile might have been orphaned, so its claims survive.
 *
 * @param snapshot with the claim as the write left it
 * @param workload as the API server has it after the write
 * @returns undefined if what was added stays unchanged
 */
export function decideAgain(
  snapshot: Snapshot,
  workload: WorkloadFacts | undefined,
): OwnersDecision | undefined {
  const { claim } = snapshot;
  if (claim === undefined || isTerminating(claim)) {
    return undefined;
  }
  const ours = ownReferences(claim, snapshot.workload, snapshot);
  if (workload?.uid !== snapshot.workload.uid) {
    return ours.length === 0 && !isHeld(claim) ? undefined : removal(claim, ours, 'NoLongerSo');
  }
  // The pod whose reference was added is the ordinal's pod, even if it is gone by now.
  const added = ours.find((reference) => namesPod(reference, snapshot.podName));
  const pod = knownPod(added && { uid: added.uid, ofWorkload: true }, undefined);
  const decision = judge(situationOf(claim, workload, pod, snapshot));
  return decision.kind === 'setOwners' &&
    (decision.operation === 'remove' || decision.operation === 'confirm')
    ? decision
    : withoutAdding(decision);
}
