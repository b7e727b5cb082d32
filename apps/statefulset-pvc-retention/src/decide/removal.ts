import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Decision, OwnersDecision } from './decision.ts';
import { isHeld, isHold } from './hold.ts';
import { isOfOurForm, referencesOf, uidsOf } from './references.ts';

/**
 * Removes these references from the claim, together with the hold, which only exists because of them. A claim
 * has one controller, so none of ours is left. The hold is not removed without the reference that it was
 * written with, even if that names another workload, because that reference was never confirmed. All others
 * stay as they are.
 */
export function removal(
  claim: PersistentVolumeClaim,
  wrong: readonly OwnerReference[],
  reason: OwnersDecision['reason'],
): OwnersDecision {
  const held = isHeld(claim);
  const references = referencesOf(claim).filter(
    (reference) =>
      !wrong.includes(reference) && !isHold(claim, reference) && !(held && isOfOurForm(claim, reference)),
  );
  return { kind: 'setOwners', operation: 'remove', claim, references, owner: undefined, reason };
}

/**
 * Returns the half of a swap to the workload that only removes. A claim whose ordinal is wanted again should
 * lose its pod's reference even if the workload's cannot be added, since the pod might end at any moment.
 *
 * @returns undefined for every other decision.
 */
export function withoutAdding(decision: Decision): OwnersDecision | undefined {
  if (decision.kind !== 'setOwners' || decision.operation !== 'swap' || decision.owner?.kind === 'Pod') {
    return undefined;
  }
  const { claim, references } = decision;
  const kept = uidsOf(references);
  const wrong = referencesOf(claim).filter(({ uid }) => !kept.has(uid));
  return removal(claim, wrong, 'NoLongerSo');
}
