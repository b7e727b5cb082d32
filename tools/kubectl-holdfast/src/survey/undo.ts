import { isTerminating, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import {
  isDeletionBegun,
  isStorageDeleted,
  meansDelete,
  undoMarkOf,
} from '@holdfast/pv-reclaim-honor/decide';
import { markOf } from '@holdfast/statefulset-pvc-retention/decide';
import { endOf, type WindowKeeper, type WindowKeepers } from '../plan/vacancy-wait.ts';
import type { SourceName } from '../sources.ts';

/** An object that waits for the end of its undo window. */
export interface Pending {
  readonly kind: 'claim' | 'volume';
  /** For a volume, the namespace of the claim from which it was released. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /**
   * When it is deleted, milliseconds since 1970. Undefined if the time cannot be read; then nothing is
   * deleted.
   */
  readonly due: number | undefined;
  /** Why it is not deleted at that time, or might not be. Default: it is. */
  readonly unless?: string;
  readonly because: string;
  /** How to keep it. */
  readonly keep: string;
  readonly source: SourceName;
}

/**
 * The objects that wait for the end of an undo window, the first to go first, as far as they could be read.
 */
export interface PendingRead {
  readonly pending: readonly Pending[];
  /** What may not be listed. */
  readonly unread: readonly string[];
}

/**
 * Returns all objects that are marked, sorted by the time at which they go; marks with an unreadable time
 * come last. It leaves out marks without effect: those made for another object; those of volumes that are now
 * retained but whose mark was not removed yet, or whose storage is deleted; and those of claims that are being deleted,
 * which nothing can keep any more. The storage of a volume that is being deleted stays until the end of its window.
 */
export function pendingOf(
  claims: readonly PersistentVolumeClaim[],
  volumes: readonly PersistentVolume[],
  keepers: WindowKeepers = allAtWork,
): readonly Pending[] {
  return [
    ...claims.flatMap((claim) =>
      ofClaim(claim).map((each) => withKeeper(each, keepers.ofClaims(each.namespace))),
    ),
    ...volumes.flatMap((volume) =>
      ofVolume(volume).map((each) => withKeeper(each, keepers.ofVolume(volume))),
    ),
  ].toSorted((a, b) => (a.due ?? Infinity) - (b.due ?? Infinity) || (a.name < b.name ? -1 : 1));
}

const atWork: WindowKeeper = { absent: undefined, wait: { kind: 'none' } };
const allAtWork: WindowKeepers = { ofClaims: () => atWork, ofVolume: () => atWork };

function withKeeper(pending: Pending, { absent, wait }: WindowKeeper): Pending {
  const { kind, due } = pending;
  if (due === undefined) {
    return pending;
  }
  const app = kind === 'claim' ? 'statefulset-pvc-retention' : 'pv-reclaim-honor';
  const unless =
    absent !== undefined
      ? `${app} is not at work: ${absent}`
      : wait.kind === 'unread'
        ? `${app} might wait up to an hour longer: you may not list leases`
        : undefined;
  const end = absent === undefined ? endOf(due, wait) : due;
  return { ...pending, due: end, ...(unless === undefined ? {} : { unless }) };
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
  if (mark === undefined || mark.kind === 'foreign' || !isMeant || isStorageDeleted(volume)) {
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
        : isDeletionBegun(volume)
          ? `kubectl holdfast undo pv ${name}: what is left of its storage stays; a deletion of it was begun`
          : `create claim ${claim} in ${namespace} with spec.volumeName ${name}`,
      source: 'reclaimWindow',
    },
  ];
}
