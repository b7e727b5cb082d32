import { heldTooLate, released } from './confirmation.ts';
import type { Decision } from './decision.ts';
import { doomedWithPod, foreignController, staleReference } from './left-alone.ts';
import { missedAndCollected, missedAndKept } from './missed-scale-down.ts';
import type { Rule, Situation } from './situation.ts';
import { referenceBeforeTie, strayTie, tieMissing } from './tying.ts';
import { markMissing, strayMark, windowOpen, windowOver, windowUnusable } from './undo-window.ts';
import { keptByOthers, nameShared, referenceMissing, referenceUnwanted } from './wanted-owner.ts';
import { workloadOrphaning, workloadTerminating } from './workload-deletion.ts';

/**
 * The rules that decide which owner a claim should have, and what else happens to the claim:
 * | whenScaled | whenDeleted | wanted   | condemned, pod known | condemned, undo window   | condemned, no pod known   |
 * |------------|-------------|----------|----------------------|--------------------------|---------------------------|
 * | Retain     | Retain      | none     | none                 | none                     | none                      |
 * | Retain     | Delete      | workload | workload             | workload                 | workload, if it has it    |
 * | Delete     | Retain      | none     | pod                  | none, marked             | none: missed, kept        |
 * | Delete     | Delete      | workload | pod                  | workload, marked         | the same: missed, kept    |
 *
 * A claim with another owner never gets a reference to a pod that is gone. Nor does one get any reference that
 * has one of others with the same UID, but another kind or name.
 *
 * Rules before the table:
 * | rule                | claim or workload                                     | answer                                            |
 * |---------------------|-------------------------------------------------------|---------------------------------------------------|
 * | heldTooLate         | held, workload is being deleted, or an earlier one's  | hold and reference are removed                    |
 * | strayMark           | marked, and no undo window; or the mark is void       | the mark is removed                               |
 * | strayTie            | tied, and not to this workload with such a window     | the tie is removed                                |
 * | staleReference      | reference by name to another workload or pod (UID)    | nothing: the garbage collector judges it          |
 * | doomedWithPod       | reference to a pod that is gone, whenScaled is Delete | nothing: the garbage collector deletes the claim  |
 * | foreignController   | another controller                                    | ours is removed, none is added                    |
 * | workloadOrphaning   | workload being orphaned                               | ours are removed, the pod's too                   |
 * | workloadTerminating | workload being deleted                                | none is added; ours that go against the policy go |
 * |                     | the same, and two workloads share the name            | references of this program go                     |
 * |                     | the same, and nobody controls the pod                 | the pod's goes: the workload was orphaned before  |
 * | missedAndCollected  | scale-down missed, gate CollectMissedScaleDown, the   | the claim is deleted, unless it has another owner |
 * |                     | claim is the workload's or younger                    |                                                   |
 * | referenceBeforeTie  | the same as the next, with a reference of ours        | it goes, unless it alone shows that it is meant   |
 * | tieMissing          | would have the workload, which asks for time for undo | tied to it, and no reference                      |
 * | referenceUnwanted   | two workloads share the name                          | references of this program go                     |
 * | nameShared          | the same                                              | none is added                                     |
 *
 * After the table, a held claim (`holdOn`) whose references stay as they are is confirmed, whatever else the
 * table says about it.
 *
 * If an undo window is requested but unusable (its value cannot be parsed, or its gate is off), nothing is
 * deleted: the claim is treated as under one, but not marked.
 *
 * "Ours" has `controller: true` and names the workload or the ordinal's pod. A plain reference belongs to a
 * user (KEP-1847, "Objects Associated with the StatefulSet"), unless it names the owner that the table wants,
 * which then gets the flag.
 *
 * The first rule that returns a decision applies.
 */
const rules: readonly Rule[] = [
  heldTooLate,
  strayMark,
  strayTie,
  staleReference,
  doomedWithPod,
  foreignController,
  workloadOrphaning,
  workloadTerminating,
  missedAndCollected,
  referenceBeforeTie,
  tieMissing,
  referenceUnwanted,
  nameShared,
  referenceMissing,
  keptByOthers,
  windowUnusable,
  markMissing,
  windowOpen,
  windowOver,
  missedAndKept,
];

/** Returns what the policy requires for a claim that exists and is not being deleted. */
export function judge(situation: Situation): Decision {
  const decision = byRules(situation);
  return decision.kind === 'setOwners' ? decision : (released(situation) ?? decision);
}

function byRules(situation: Situation): Decision {
  for (const rule of rules) {
    const decision = rule(situation);
    if (decision !== undefined) {
      return decision;
    }
  }
  return { kind: 'none', reason: 'Settled' };
}
