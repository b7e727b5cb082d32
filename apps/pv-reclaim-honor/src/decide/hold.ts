import { isTerminating, type PersistentVolume } from '@holdfast/core';
import type { FinalizerChange, HoldDecision, Nothing } from './decision.ts';
import { isStatic, isStorageDeleted, ownHolds, recordedHold } from './held-by.ts';
import type { AwaySnapshot, OurKeeper, OurSnapshot } from './snapshot.ts';
import { statedPolicyOf } from './stated-policy.ts';
import { meansDelete } from './undo-window.ts';

/**
 * Decides whether the volume is held as it should be. Only a held volume with policy Delete is left undecided
 * here: `decideReclaim` decides whether to reclaim it.
 */
export function decideHold(snapshot: OurSnapshot): HoldDecision | undefined {
  const { volume, keeper, honor, held, own, policy } = snapshot;
  if (!honor) {
    // A finalizer that another provisioner added must stay on a volume that is still to be deleted.
    return waitsForBinder(snapshot) ?? letGo(volume, own, 'GateOff');
  }
  if (policy === 'other') {
    return letGo(volume, held, 'PolicyNotDelete');
  }
  if (!hadClaim(volume)) {
    // It is never reclaimed, so nobody would ever take the finalizer off.
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

/** Decides about a volume that a process of this app holds, and whose keeper is not here. */
export function decideAway({ volume, keeper, honor }: AwaySnapshot): HoldDecision {
  const own = ownHolds(volume, keeper.csiFinalizer);
  // Only the process that has the keeper can tell whether an undo window counts.
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

/**
 * A record of a missing finalizer is removed with the next change, or alone if there is nothing else to
 * remove.
 */
function letGo(
  volume: PersistentVolume,
  remove: readonly string[],
  reason: FinalizerChange['reason'],
): HoldDecision {
  return remove.length === 0 && recordedHold(volume) === undefined
    ? { kind: 'none', reason: 'NotHeld' }
    : { kind: 'changeFinalizers', volume, add: [], remove, reason };
}

/** Without the in-tree finalizer kube-controller-manager would get stuck on it, see {@link decide}. */
function waitsForBinder({ volume, keeper }: OurSnapshot): Nothing | undefined {
  return keeper.kind === 'inTree' && isTerminating(volume) && volume.status?.phase === 'Bound'
    ? { kind: 'none', reason: 'NotReleasedYet' }
    : undefined;
}

/** If anyone deletes such volumes, it adds a finalizer of its own; one of ours would never be removed. */
function decideUndeletable(snapshot: OurSnapshot): HoldDecision {
  const { volume, keeper, held, own } = snapshot;
  const remove = held.filter((each) => each === keeper.stale || own.includes(each));
  if (remove.length > 0 || recordedHold(volume) !== undefined) {
    return waitsForBinder(snapshot) ?? letGo(volume, remove, 'NobodyCanDelete');
  }
  if (held.length > 0) {
    return { kind: 'none', reason: 'LeftToProvisioner' };
  }
  // kube-controller-manager deletes some host paths, and older versions delete volumes of plugins that can be
  // migrated. The provisioner of a provisioned volume knows about it.
  const isLost = isStatic(volume) && volume.spec?.hostPath === undefined && keeper.stale === undefined;
  return isLost && (isTerminating(volume) || isReleased(volume))
    ? { kind: 'warnOfLeak', volume, reason: 'NobodyCanDelete' }
    : { kind: 'none', reason: 'NobodyCanDelete' };
}

function decideUnheld({ volume, keeper }: OurSnapshot): HoldDecision {
  if (unboundPhases.includes(volume.status?.phase)) {
    return { kind: 'none', reason: 'NeverBound' };
  }
  if (isTerminating(volume)) {
    return isStorageDeleted(volume)
      ? { kind: 'none', reason: 'StorageDeleted' }
      : { kind: 'warnOfLeak', volume, reason: 'TerminatingUnheld' };
  }
  return { kind: 'changeFinalizers', volume, add: rightHolds(keeper), remove: [], reason: 'Bound' };
}

/**
 * Replaces a finalizer that has become the wrong one because of a migration or another `--csi-finalizer`, and
 * adds the second one to a volume that was held without it. A second one that is alone is enough: another
 * client has removed the first, and would do so again.
 */
function decideRightHold({ volume, keeper, held }: OurSnapshot): HoldDecision | undefined {
  const { finalizer, second, stale } = keeper;
  const wrong = held.filter((each) => !rightHolds(keeper).includes(each));
  const isComplete = held.includes(second ?? finalizer);
  // A terminating volume accepts no new finalizer, so the old one holds it until the end.
  if (isTerminating(volume) || (wrong.length === 0 && isComplete)) {
    return undefined;
  }
  return {
    kind: 'changeFinalizers',
    volume,
    add: isComplete ? [] : rightHolds(keeper).filter((each) => !held.includes(each)),
    remove: wrong,
    reason:
      wrong.length === 0 ? 'Bound' : stale !== undefined && wrong.includes(stale) ? 'Migrated' : 'Renamed',
  };
}

function rightHolds({ finalizer, second }: OurKeeper): readonly string[] {
  return second === undefined ? [finalizer] : [finalizer, second];
}

/** The phases before a volume is bound; the API server starts with Pending. */
const unboundPhases: readonly (string | undefined)[] = [undefined, 'Pending', 'Available'];

function hadClaim({ spec }: PersistentVolume): boolean {
  return (spec?.claimRef?.uid ?? '') !== '';
}

/** Returns whether the binder reports that its claim is gone; Failed means that a deletion was tried. */
function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}
