import { isTerminating, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import { meansDelete, undoMarkOf } from '@holdfast/pv-reclaim-honor/decide';
import { markOf } from '@holdfast/statefulset-pvc-retention/decide';
import type { SourceName } from '../sources.ts';

/** What waits for the end of its undo window. */
export interface Pending {
  readonly kind: 'claim' | 'volume';
  /** Of a volume: that of the claim which it was released from. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** When it is deleted, milliseconds since 1970; undefined: the time can't be read, and nothing is deleted. */
  readonly due: number | undefined;
  readonly because: string;
  /** How it is kept. */
  readonly keep: string;
  readonly source: SourceName;
}

/** What waits for the end of an undo window, the first to go first, as far as it could be read. */
export interface PendingRead {
  readonly pending: readonly Pending[];
  /** What may not be listed. */
  readonly unread: readonly string[];
}

/**
 * All that is marked, by the time at which it goes; what can't be read is last. Marks for other objects say nothing, and are left out; so do those of
 * volumes that are retained by now, which nobody has taken off yet, and those of claims that are being deleted: nothing keeps these any more. The storage
 * of a volume that is being deleted stays to the end of its window.
 */
export function pendingOf(
  claims: readonly PersistentVolumeClaim[],
  volumes: readonly PersistentVolume[],
): readonly Pending[] {
  return [...claims.flatMap(ofClaim), ...volumes.flatMap(ofVolume)].toSorted(
    (a, b) => (a.due ?? Infinity) - (b.due ?? Infinity) || (a.name < b.name ? -1 : 1),
  );
}

function ofClaim(claim: PersistentVolumeClaim): readonly Pending[] {
  const mark = markOf(claim);
  if (isTerminating(claim) || mark === undefined || mark.kind === 'void' || mark.kind === 'withdrawn') {
    return [];
  }
  const { namespace = '', name, uid } = claim.metadata;
  return [
    {
      kind: 'claim',
      namespace,
      name,
      uid,
      due: mark.kind === 'valid' ? mark.due : undefined,
      because: `${mark.workload.name} was ${mark.cause === 'ScaledDown' ? 'scaled down' : 'deleted'}`,
      keep: `kubectl annotate pvc ${name} -n ${namespace} holdfast.dev/delete-after-`,
      source: 'undoWindow',
    },
  ];
}

function ofVolume(volume: PersistentVolume): readonly Pending[] {
  const mark = undoMarkOf(volume);
  const isMeant = volume.spec?.persistentVolumeReclaimPolicy === 'Delete' || meansDelete(volume);
  if (mark === undefined || mark.kind === 'foreign' || !isMeant) {
    return [];
  }
  const { name, uid } = volume.metadata;
  const { namespace = '', name: claim = '' } = volume.spec?.claimRef ?? {};
  return [
    {
      kind: 'volume',
      namespace,
      name,
      uid,
      due: mark.kind === 'valid' ? mark.due : undefined,
      because: `claim ${namespace}/${claim} is gone`,
      keep: isTerminating(volume)
        ? `kubectl holdfast undo pv ${name}: it goes, and its storage stays`
        : `create claim ${claim} in ${namespace} with spec.volumeName ${name}`,
      source: 'reclaimWindow',
    },
  ];
}
