import { isTerminating, type PersistentVolume } from '@holdfast/core';
import type { FinalizerChange, HoldDecision, Nothing } from './decision.ts';
import { isStatic, ownHolds, recordedHold } from './held-by.ts';
import type { AwaySnapshot, OurSnapshot } from './snapshot.ts';
import { statedPolicyOf } from './stated-policy.ts';
import { meansDelete } from './undo-window.ts';

/**
 * Whether the volume is held as it should be. Only a volume that is held, under policy Delete, is left undecided here: whether
 * it is to be reclaimed is for `decideReclaim` to say.
 */
export function decideHold(snapshot: OurSnapshot): HoldDecision | undefined {
  const { volume, keeper, honor, held, own, policy } = snapshot;
  if (!honor) {
    // What another provisioner has put there is not ours to take off a volume that is still to be deleted.
    return waitsForBinder(snapshot) ?? letGo(volume, own, 'GateOff');
  }
  if (policy === 'other') {
    return letGo(volume, held, 'PolicyNotDelete');
  }
  if (!hadClaim(volume)) {
    // Reclaim is not run for it, so nobody would ever let go of it.
    return isTerminating(volume) ? letGo(volume, held, 'NeverBound') : { kind: 'none', reason: 'NeverBound' };
  }
  if (policy === 'unknown') {
    return held.length > 0 && (isTerminating(volume) || isReleased(volume))
      ? { kind: 'warnOfStuck', volume, held, reason: 'PolicyUnknown' }
      : { kind: 'none', reason: 'PolicyUnknown' };
  }
  if (!keeper.canDelete) {
    return decideUndeletable(snapshot);
  }
  return held.length === 0 ? decideUnheld(snapshot) : decideRightHold(snapshot);
}

/** What becomes of a volume that a process of this app has held, and whose keeper is not here. */
export function decideAway({ volume, keeper, honor }: AwaySnapshot): HoldDecision {
  const own = ownHolds(volume, keeper.csiFinalizer);
  // Whether an undo window counts is for the process to say that has the keeper.
  if (statedPolicyOf(volume) === 'other' && !meansDelete(volume)) {
    return letGo(volume, own, 'PolicyNotDelete');
  }
  if (!hadClaim(volume)) {
    return isTerminating(volume) ? letGo(volume, own, 'NeverBound') : { kind: 'none', reason: 'NeverBound' };
  }
  if (!honor) {
    return keeper.endsAll ? letGo(volume, own, 'GateOff') : { kind: 'none', reason: 'NotOurs' };
  }
  return isReleased(volume) && own.length > 0
    ? { kind: 'warnOfStuck', volume, keeper, reason: 'KeeperAway' }
    : { kind: 'none', reason: 'NotOurs' };
}

/** A record of a finalizer that is gone goes with the next change, or by itself when there is nothing else to take off. */
function letGo(
  volume: PersistentVolume,
  remove: readonly string[],
  reason: FinalizerChange['reason'],
): HoldDecision {
  return remove.length === 0 && recordedHold(volume) === undefined
    ? { kind: 'none', reason: 'NotHeld' }
    : { kind: 'changeFinalizers', volume, add: [], remove, reason };
}

/** Without the in-tree finalizer kube-controller-manager would hang on it, see {@link decide}. */
function waitsForBinder({ volume, keeper }: OurSnapshot): Nothing | undefined {
  return keeper.kind === 'inTree' && isTerminating(volume) && volume.status?.phase === 'Bound'
    ? { kind: 'none', reason: 'NotReleasedYet' }
    : undefined;
}

/** Whoever deletes such volumes, if anybody does, puts a finalizer of its own on them; one of ours would never come off. */
function decideUndeletable(snapshot: OurSnapshot): HoldDecision {
  const { volume, keeper, held, own } = snapshot;
  const remove = held.filter((each) => each === keeper.stale || own.includes(each));
  if (remove.length > 0 || recordedHold(volume) !== undefined) {
    return waitsForBinder(snapshot) ?? letGo(volume, remove, 'NobodyCanDelete');
  }
  if (held.length > 0) {
    return { kind: 'none', reason: 'LeftToProvisioner' };
  }
  // kube-controller-manager deletes some host paths, and older ones what can be migrated; of what is provisioned its provisioner knows.
  const isLost = isStatic(volume) && volume.spec?.hostPath === undefined && keeper.stale === undefined;
  return isLost && (isTerminating(volume) || isReleased(volume))
    ? { kind: 'warnOfLeak', volume, reason: 'NobodyCanDelete' }
    : { kind: 'none', reason: 'NobodyCanDelete' };
}

function decideUnheld({ volume, keeper: { finalizer } }: OurSnapshot): HoldDecision {
  if (unboundPhases.includes(volume.status?.phase)) {
    return { kind: 'none', reason: 'NeverBound' };
  }
  return isTerminating(volume)
    ? { kind: 'warnOfLeak', volume, reason: 'TerminatingUnheld' }
    : { kind: 'changeFinalizers', volume, add: [finalizer], remove: [], reason: 'Bound' };
}

/** Which finalizer holds the volume, when migration or another `--csi-finalizer` has made one that is there the wrong one. */
function decideRightHold({
  volume,
  keeper: { finalizer, stale },
  held,
}: OurSnapshot): HoldDecision | undefined {
  const wrong = held.filter((each) => each !== finalizer);
  // What is terminating takes no new finalizer; the old one then holds it until the end.
  if (isTerminating(volume) || wrong.length === 0) {
    return undefined;
  }
  return {
    kind: 'changeFinalizers',
    volume,
    add: held.includes(finalizer) ? [] : [finalizer],
    remove: wrong,
    reason: stale !== undefined && wrong.includes(stale) ? 'Migrated' : 'Renamed',
  };
}

/** The phases before a volume is bound; the API server begins with Pending. */
const unboundPhases: readonly (string | undefined)[] = [undefined, 'Pending', 'Available'];

function hadClaim({ spec }: PersistentVolume): boolean {
  return (spec?.claimRef?.uid ?? '') !== '';
}

/** By the binder's word its claim is gone; Failed: a deletion was tried. */
function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}
