import { hasFinalizer, isTerminating, type PersistentVolume } from '@holdfast/core';
import { isStorageDeleted, meansDelete, undoFinalizer } from '@holdfast/pv-reclaim-honor/decide';
import { isHeldForStorage } from '../plan/storage-hold.ts';
import { isLeftBehind, undeletable } from '../plan/volume-fate.ts';
import type { SourceName } from '../sources.ts';

/** A volume whose storage is left behind, or will be if objects are deleted in the wrong order. */
export interface Leak {
  readonly volume: string;
  /** `now`: as things are; `perhaps`: if the volume is deleted before its claim, or if nothing else saves it. */
  readonly when: 'now' | 'perhaps';
  readonly words: string;
  readonly source: SourceName;
}

/**
 * Returns the volumes at risk:
 *
 * | policy | phase              | terminating | held until its storage is deleted | leak    |
 * |--------|--------------------|-------------|-----------------------------------|---------|
 * | Delete | -                  | yes         | no                                | now     |
 * | Delete | -                  | yes         | not known                         | perhaps |
 * | Delete | Failed             | no          | -                                 | now     |
 * | Delete | Bound              | no          | no                                | perhaps |
 * | Retain | Released or Failed | -           | -                                 | now     |
 *
 * Not known: by a finalizer of somebody else, or kube-controller-manager might still delete the storage in time.
 *
 * One whose storage pv-reclaim-honor has recorded as deleted does not count. A volume with policy Retain that will be
 * deleted after an undo window does not count. The annotation alone does not show that: only the finalizer of the undo
 * window does.
 */
export function leaksOf(volumes: readonly PersistentVolume[]): readonly Leak[] {
  return volumes
    .flatMap((volume): readonly Leak[] => {
      const leak = leakOf(volume);
      return leak === undefined ? [] : [{ volume: volume.metadata.name, ...leak }];
    })
    .toSorted(
      (a, b) => Number(a.when === 'perhaps') - Number(b.when === 'perhaps') || (a.volume < b.volume ? -1 : 1),
    );
}

function leakOf(volume: PersistentVolume): Omit<Leak, 'volume'> | undefined {
  const { phase } = volume.status ?? {};
  const isHeld = isHeldForStorage(volume);
  if (isStorageDeleted(volume)) {
    return undefined;
  }
  if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete') {
    if (isTerminating(volume) && !isHeld) {
      return isLeftBehind(volume) || undeletable(volume) !== undefined
        ? {
            when: 'now',
            words: 'it is being deleted, and no finalizer holds it until its storage is deleted',
            source: 'reclaim',
          }
        : {
            when: 'perhaps',
            words:
              'it is being deleted, and no finalizer that is known holds it until its storage is deleted',
            source: 'reclaim',
          };
    }
    if (phase === 'Failed' && !isTerminating(volume)) {
      return { when: 'now', words: 'its storage could not be deleted, see its Events', source: 'reclaim' };
    }
    return phase === 'Bound' && !isHeld
      ? {
          when: 'perhaps',
          words: 'its storage is left behind if it is deleted before its claim: no finalizer holds it',
          source: 'reclaim',
        }
      : undefined;
  }
  return (phase === 'Released' || phase === 'Failed') &&
    !(meansDelete(volume) && hasFinalizer(volume, undoFinalizer))
    ? {
        when: 'now',
        words:
          'its claim is gone, and its policy keeps it: delete volume and storage by hand, or bind it again',
        source: 'reclaimPolicy',
      }
    : undefined;
}
