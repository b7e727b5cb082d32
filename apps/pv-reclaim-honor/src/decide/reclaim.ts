import { isTerminating } from '@holdfast/core';
import type { ReclaimDecision } from './decision.ts';
import type { OurSnapshot } from './snapshot.ts';
import { goesFirst } from './undo-window.ts';

/** Decides whether to reclaim a held volume with policy Delete, and whether that is possible now. */
export function decideReclaim(snapshot: OurSnapshot): ReclaimDecision {
  const { volume, keeper, claimUid, claimBound, boundElsewhere, unlisted, source, mode } = snapshot;
  const { attachedTo, sharedWith, freeOver, unreadable } = snapshot;
  const isReleased = volume.status?.phase === 'Released' || volume.status?.phase === 'Failed';
  if (claimUid === volume.spec?.claimRef?.uid) {
    // Released all the same: somebody has changed the name in claimRef, and should learn what the volume waits for.
    return source === 'cache' && (!isReleased || mode === 'guard')
      ? { kind: 'none', reason: 'Held' }
      : { kind: 'postpone', volume, reason: 'ClaimLives', by: [claimUid ?? ''], source };
  }
  if (mode === 'guard') {
    return { kind: 'none', reason: 'LeftToProvisioner' };
  }
  if (!isReleased) {
    return { kind: 'none', reason: 'NotReleasedYet' };
  }
  if (claimBound) {
    // Somebody has changed the UID in claimRef. The claim, called Lost, is the one whose data this is.
    return { kind: 'postpone', volume, reason: 'ClaimBound', by: [claimUid ?? ''], source };
  }
  if (boundElsewhere !== undefined) {
    // claimRef names the claim that came after it, and is gone. The first one might be in use.
    return { kind: 'postpone', volume, reason: 'BoundElsewhere', by: [boundElsewhere], source };
  }
  if (unlisted !== undefined) {
    // A claim there might be bound to it, or have the UID in claimRef. Only the cache can tell where one is.
    return { kind: 'postpone', volume, reason: 'ClaimsUnlisted', by: [unlisted], source };
  }
  if (attachedTo.length > 0) {
    return { kind: 'postpone', volume, reason: 'Attached', by: attachedTo, source };
  }
  if (sharedWith.length > 0) {
    return { kind: 'postpone', volume, reason: 'StorageShared', by: sharedWith, source };
  }
  if (unreadable !== undefined) {
    return { kind: 'refuse', volume, keeper, unreadable, reason: 'UnreadableVolume' };
  }
  if (source === 'cache') {
    return { kind: 'askServer', volume, reason: 'ReleasedInCache' };
  }
  return goesFirst(snapshot)
    ? { kind: 'deleteObject', volume, reason: 'WindowOver' }
    : { kind: 'reclaim', volume, keeper, others: freeOver, reason: 'Released' };
}

/** Decides what is left to do after the storage of a reclaimed volume is deleted. */
export function decideFinish({ volume, keeper, held }: OurSnapshot): ReclaimDecision {
  return held.length > 0 || !isTerminating(volume)
    ? { kind: 'finish', volume, keeper, reason: 'StorageDeleted' }
    : { kind: 'none', reason: 'NotHeld' };
}
