import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import { meansDelete, undoMarkOf } from '@holdfast/pv-reclaim-honor/decide';
import { markOf } from '@holdfast/statefulset-pvc-retention/decide';
import type { SourceName } from '../sources.ts';

/** What waits for the end of its undo window. */
export interface Pending {
  readonly kind: 'claim' | 'volume';
  /** Of a volume: that of the claim which it was released from. */
  readonly namespace: string;
  readonly name: string;
  /** When it is deleted, milliseconds since 1970; undefined: the time can't be read, and nothing is deleted. */
  readonly due: number | undefined;
  readonly because: string;
  /** How it is kept. */
  readonly keep: string;
  readonly source: SourceName;
}

/**
 * All that is marked, by the time at which it goes; what can't be read is last. Marks for other objects say nothing, and are left out; so do those of
 * volumes that are retained by now, which nobody has taken off yet.
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
  if (mark === undefined || mark.kind === 'void' || mark.kind === 'withdrawn') {
    return [];
  }
  const { namespace = '', name } = claim.metadata;
  return [
    {
      kind: 'claim',
      namespace,
      name,
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
  const { name } = volume.metadata;
  const { namespace = '', name: claim = '' } = volume.spec?.claimRef ?? {};
  return [
    {
      kind: 'volume',
      namespace,
      name,
      due: mark.kind === 'valid' ? mark.due : undefined,
      because: `claim ${namespace}/${claim} is gone`,
      keep: `create claim ${claim} in ${namespace} with spec.volumeName ${name}`,
      source: 'reclaimWindow',
    },
  ];
}
