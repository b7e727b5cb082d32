import { isTerminating, type PersistentVolumeClaim } from '@holdfast/core';
import type { NoneDecision, OwnersDecision, UnmarkDecision } from './decision.ts';
import { markOf } from './mark.ts';
import { controllingPod } from './references.ts';
import { removal } from './removal.ts';

/** A claim that is named after no workload there is. */
export interface Leftover {
  readonly claim: PersistentVolumeClaim | undefined;
  /** The pod that controls it by name and UID, as the API server has it; undefined: not asked; `none`: there is none. */
  readonly livePod: OrphanFacts | 'none' | undefined;
}

export interface OrphanFacts {
  readonly uid: string;
  /** A workload made it, and it has no controller any more. */
  readonly orphaned: boolean;
  /** One of its volumes is this claim, by name and not as a generic ephemeral volume. */
  readonly namesClaim: boolean;
}

/**
 * What an orphaned workload leaves in the middle of a scale-down: the claim is its pod's, and would go with it although
 * the workload's dependents were to survive. And a mark outlives its workload, to be found by the next one of the name.
 *
 * | claim                                                             | answer                   |
 * |-------------------------------------------------------------------|--------------------------|
 * | gone, or terminating                                              | nothing                  |
 * | marked                                                            | the mark is removed      |
 * | no pod controls it by the name                                    | nothing                  |
 * | the pod, looked at live, was made by a workload, has no           | its reference is removed |
 * | controller any more, and names the claim among its volumes        |                          |
 * | any other pod, or none                                            | nothing                  |
 */
export function decideLeftover({
  claim,
  livePod,
}: Leftover): NoneDecision | OwnersDecision | UnmarkDecision | { readonly kind: 'askLive' } {
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'ClaimTerminating' };
  }
  if (markOf(claim) !== undefined) {
    return { kind: 'unmark', claim, reason: 'NotCondemned' };
  }
  const owner = controllingPod(claim);
  if (owner === undefined) {
    return { kind: 'none', reason: 'NotOurs' };
  }
  if (livePod === undefined) {
    return { kind: 'askLive' };
  }
  return livePod !== 'none' && livePod.uid === owner.uid && livePod.orphaned && livePod.namesClaim
    ? removal(claim, [owner], 'PodOrphaned')
    : { kind: 'none', reason: 'NotOurs' };
}
