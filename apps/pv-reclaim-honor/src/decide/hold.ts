import { isTerminating } from '@holdfast/core';
import type { HoldDecision } from './decision.ts';
import type { OurSnapshot } from './snapshot.ts';

/**
 * Whether the volume is held as it should be. Only a volume that is held, under policy Delete, is left undecided here: whether
 * it is to be reclaimed is for `decideReclaim` to say.
 */
export function decideHold(snapshot: OurSnapshot): HoldDecision | undefined {
  const { volume, keeper, honor, held } = snapshot;
  if (!honor) {
    return keeper.kind === 'inTree' && isTerminating(volume) && volume.status?.phase === 'Bound'
      ? { kind: 'none', reason: 'NotReleasedYet' }
      : letGo(snapshot, 'GateOff');
  }
  if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete') {
    return letGo(snapshot, 'PolicyNotDelete');
  }
  if ((volume.spec.claimRef?.uid ?? '') === '') {
    // Reclaim is not run for it, so nobody would ever let go of it.
    return isTerminating(volume) ? letGo(snapshot, 'NeverBound') : { kind: 'none', reason: 'NeverBound' };
  }
  return held.length === 0 ? decideUnheld(snapshot) : decideMigration(snapshot);
}

function letGo(
  { volume, held }: OurSnapshot,
  reason: 'GateOff' | 'PolicyNotDelete' | 'NeverBound',
): HoldDecision {
  return held.length === 0
    ? { kind: 'none', reason: 'NotHeld' }
    : { kind: 'changeFinalizers', volume, add: [], remove: held, reason };
}

function decideUnheld({ volume, keeper: { finalizer, canDelete } }: OurSnapshot): HoldDecision {
  const { phase } = volume.status ?? {};
  if (phase !== 'Bound' && phase !== 'Released' && phase !== 'Failed') {
    return { kind: 'none', reason: 'NeverBound' };
  }
  if (!canDelete) {
    return { kind: 'none', reason: 'NobodyCanDelete' };
  }
  return isTerminating(volume)
    ? { kind: 'warnOfLeak', volume, reason: 'TerminatingUnheld' }
    : { kind: 'changeFinalizers', volume, add: [finalizer], remove: [], reason: 'Bound' };
}

/** Which finalizer holds the volume, when migration has made the one that is there the wrong one. */
function decideMigration({
  volume,
  keeper: { finalizer, stale, canDelete },
  held,
}: OurSnapshot): HoldDecision | undefined {
  // What is terminating takes no new finalizer; the old one then holds it until the end.
  if (isTerminating(volume) || stale === undefined || !held.includes(stale)) {
    return undefined;
  }
  const add = held.includes(finalizer) || !canDelete ? [] : [finalizer];
  return { kind: 'changeFinalizers', volume, add, remove: [stale], reason: 'Migrated' };
}
