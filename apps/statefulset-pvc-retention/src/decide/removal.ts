import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Decision, OwnersDecision } from './decision.ts';
import { isHeld, isHold } from './hold.ts';
import { isOfOurForm, referencesOf } from './references.ts';

/**
 * Takes these references from the claim, and the hold with them, which is there for their sake alone. A claim has one controller, so that none
 * of ours is left. The hold does not go without the reference that it was written with, even if that names another workload: nobody has
 * confirmed it. All others stay as they are.
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
 * The half of a swap to the workload that only removes. A claim whose ordinal is wanted again is to lose its pod's reference even
 * when the workload's can't be added, since the pod might end at any moment.
 *
 * @returns undefined for every other decision.
 */
export function withoutAdding(decision: Decision): OwnersDecision | undefined {
  if (decision.kind !== 'setOwners' || decision.operation !== 'swap' || decision.owner?.kind === 'Pod') {
    return undefined;
  }
  const { claim, references } = decision;
  const wrong = referencesOf(claim).filter(
    ({ uid }) => !references.some((reference) => reference.uid === uid),
  );
  return removal(claim, wrong, 'NoLongerSo');
}
