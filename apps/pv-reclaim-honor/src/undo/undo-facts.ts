import { isTerminating, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { UndoFacts } from '../decide/snapshot.ts';
import { undoMarkOf } from '../decide/undo-mark.ts';
import type { WindowRequest } from './window-request.ts';

/**
 * Returns what a volume's undo window depends on.
 *
 * @param claim the claim with the namespace and name in the volume's `claimRef`.
 * @param around the gate and the times.
 * @returns undefined if the volume has neither a window nor a mark.
 */
export function undoFactsOf(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  request: WindowRequest,
  around: Pick<UndoFacts, 'enabled' | 'now' | 'serverNow' | 'noneOverBefore'>,
): UndoFacts | undefined {
  return request.kind === 'none' && undoMarkOf(volume) === undefined
    ? undefined
    : { ...around, grace: graceOf(request), askedBack: asksBack(volume, claim) };
}

function graceOf(request: WindowRequest): UndoFacts['grace'] {
  switch (request.kind) {
    case 'none':
      return undefined;
    case 'unusable':
      return 'unusable';
    case 'usable':
      return request.duration;
  }
}

function asksBack({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim | undefined): boolean {
  return (
    claim !== undefined &&
    claim.metadata.uid !== spec?.claimRef?.uid &&
    claim.spec?.volumeName === metadata.name &&
    !isTerminating(claim)
  );
}
