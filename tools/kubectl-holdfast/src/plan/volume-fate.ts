import type { PersistentVolume } from '@holdfast/core';
import { meansDelete, undoFinalizer } from '@holdfast/pv-reclaim-honor/decide';
import type { SourceName } from '../sources.ts';

/**
 * What becomes of a volume's data when its claim is gone:
 *
 * | reclaim policy | held by holdfast.dev/undo-window, annotation says Delete | data                      |
 * |----------------|-----------------------------------------------------------|---------------------------|
 * | Delete         | -                                                         | deleted                   |
 * | Retain         | yes                                                       | deleted, after the window |
 * | Retain         | no                                                        | kept                      |
 * | Recycle        | -                                                         | scrubbed                  |
 */
export type VolumeFate =
  | { readonly data: 'none' }
  /** The volume could not be read. */
  | { readonly data: 'unknown'; readonly volume: string }
  | {
      readonly data: 'deleted' | 'kept' | 'scrubbed';
      readonly volume: string;
      readonly source: SourceName;
    }
  | {
      readonly data: 'deletedLater';
      readonly volume: string;
      /** As the volume asks for it, for example `24h`; undefined: its class does. */
      readonly window: string | undefined;
      readonly source: SourceName;
    };

const graceAnnotation = 'holdfast.dev/reclaim-grace';

/** @param name the claim's `spec.volumeName`; undefined or empty: it is not bound. */
export function volumeFate(name: string | undefined, volume: PersistentVolume | undefined): VolumeFate {
  if (name === undefined || name === '') {
    return { data: 'none' };
  }
  if (volume === undefined) {
    return { data: 'unknown', volume: name };
  }
  const { metadata, spec } = volume;
  switch (spec?.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return { data: 'deleted', volume: name, source: 'reclaimPolicy' };
    case 'Recycle':
      return { data: 'scrubbed', volume: name, source: 'reclaimPolicy' };
    default:
      return meansDelete(volume) && metadata.finalizers?.includes(undoFinalizer) === true
        ? {
            data: 'deletedLater',
            volume: name,
            window: metadata.annotations?.[graceAnnotation],
            source: 'reclaimWindow',
          }
        : { data: 'kept', volume: name, source: 'reclaimPolicy' };
  }
}

/** What becomes of the data, as a part of a sentence. */
export function dataWords(volume: VolumeFate): string {
  switch (volume.data) {
    case 'none':
      return 'none, not bound';
    case 'unknown':
      return `in ${volume.volume}, which could not be read`;
    case 'deleted':
      return `deleted with ${volume.volume}`;
    case 'scrubbed':
      return `scrubbed in ${volume.volume}`;
    case 'kept':
      return `kept in ${volume.volume}`;
    case 'deletedLater':
      return `deleted later with ${volume.volume}`;
  }
}
