import {
  finalizers,
  isTerminating,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import {
  classOf,
  inTreePluginOf,
  isBoundTo,
  isLetGoEarly,
  isStorageDeleted,
  meansDelete,
  ownHolds,
  provisionedByAnnotation,
  undoFinalizer,
  windowRequestOf,
} from '@holdfast/pv-reclaim-honor/decide';
import { quoted } from '@holdfast/runtime';
import type { SourceName } from '../sources.ts';
import type { WindowKeepers } from './vacancy-wait.ts';

/**
 * What happens to a volume's data once its claim is gone:
 *
 * | reclaim policy | held by holdfast.dev/undo-window, annotation says Delete, a window is asked for | data                                                                                |
 * | -------------- | ------------------------------------------------------------------------------- | ----------------------------------------------------------------------------------- |
 * | Delete         | -                                                                               | deleted; or kept, see {@link undeletable}; or left behind, see {@link isLeftBehind} |
 * | Retain         | yes                                                                             | deleted, after the window                                                           |
 * | Retain         | no                                                                              | kept                                                                                |
 * | Recycle        | -                                                                               | scrubbed                                                                            |
 */
export type VolumeFate =
  | { readonly data: 'none' }
  /** The volume that the claim names is, or was, bound to another claim. */
  | { readonly data: 'foreign'; readonly volume: string; readonly boundTo: string }
  /** There is no volume of the name in the claim. */
  | { readonly data: 'missing'; readonly volume: string }
  /** The volume could not be read. */
  | { readonly data: 'unknown'; readonly volume: string }
  | {
      readonly data: 'kept' | 'scrubbed' | 'leftBehind';
      readonly volume: string;
      readonly source: SourceName;
    }
  | {
      readonly data: 'deleted';
      readonly volume: string;
      /**
       * The undo window that the volume or its class asks for; undefined if none does. pv-reclaim-honor might not give
       * it, and another provisioner that runs does not wait for it.
       */
      readonly window: string | undefined;
      /** The window is not possible: pv-reclaim-honor keeps the storage. */
      readonly isUnusable?: true;
      /** Its class might ask for a window, and could not be read. */
      readonly isClassUnread?: true;
      readonly source: SourceName;
    }
  | {
      readonly data: 'deletedLater';
      readonly volume: string;
      /** As the volume or its class asks for it, for example `24h`; undefined if the class could not be read. */
      readonly window: string | undefined;
      /** Why pv-reclaim-honor is not at work for the volume. Default: it is, or that is not known. */
      readonly absent?: string;
      readonly source: SourceName;
    };

/**
 * The volume that a claim names: `missing` if there is none of that name, undefined if it may not be read.
 */
export type NamedVolume = PersistentVolume | 'missing' | undefined;

/** Names the CSI driver that has taken over the volume's in-tree plugin. */
export const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** The classes of the cluster; undefined if they may not be read. */
export type Classes = readonly StorageClass[] | undefined;

/**
 * Returns what happens to the data of a claim. A claim can name any volume in `spec.volumeName`. The volume
 * is the claim's own only if the volume is bound to it, or to no claim.
 *
 * @param keepers default: pv-reclaim-honor is at work, or that is not known.
 */
export function dataOf(
  claim: PersistentVolumeClaim,
  volume: NamedVolume,
  classes: Classes,
  keepers?: Pick<WindowKeepers, 'ofVolume'>,
): VolumeFate {
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === '') {
    return { data: 'none' };
  }
  if (volume === undefined) {
    return { data: 'unknown', volume: volumeName };
  }
  if (volume === 'missing') {
    return { data: 'missing', volume: volumeName };
  }
  const { namespace = '', name = '' } = volume.spec?.claimRef ?? {};
  const isNamesake = namespace === claim.metadata.namespace && name === claim.metadata.name;
  return isOwn(claim, volume)
    ? withoutKeeper(volumeFate(volumeName, volume, classes), keepers?.ofVolume(volume).absent)
    : {
        data: 'foreign',
        volume: volumeName,
        boundTo: isNamesake ? 'an earlier one of its name' : `${namespace}/${name}`,
      };
}

/** No other controller deletes a volume whose field says Retain. */
function withoutKeeper(fate: VolumeFate, absent: string | undefined): VolumeFate {
  return fate.data === 'deletedLater' && absent !== undefined ? { ...fate, absent } : fate;
}

/**
 * Whether the volume that a claim names is bound to it, or can become bound to it: a reference without a UID
 * fits any claim of that name. With another UID, which somebody has put there, pv-reclaim-honor keeps the storage for
 * the claim of that name that says that it is bound to the volume, and deletes it after that claim. Once the volume is
 * released, it does so for a claim of another name that says so, too.
 */
export function isOwn(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { metadata } = claim;
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined) {
    return true;
  }
  const hasName = claimRef.namespace === metadata.namespace && claimRef.name === metadata.name;
  return (claimRef.uid ?? '') === ''
    ? hasName
    : claimRef.uid === metadata.uid || ((hasName || isReleased(volume)) && isBoundTo(claim, volume));
}

export function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}

/** In-tree plugins that could never delete storage, in any release of Kubernetes. */
const pluginsWithoutDeletion: ReadonlySet<string> = new Set(
  ['cephfs', 'fc', 'iscsi', 'local-volume', 'nfs'].map((each) => `kubernetes.io/${each}`),
);

/**
 * Returns the plugin of a volume that has policy Delete in vain: no controller can delete its storage, since
 * the plugin can't, and no other provisioner made the volume. For a hostPath volume that means that
 * kube-controller-manager refuses its path, and that pv-reclaim-honor does not hold it. Undefined for all
 * others.
 */
export function undeletable(volume: PersistentVolume): string | undefined {
  const plugin = inTreePluginOf(volume);
  const isInVain =
    plugin === 'kubernetes.io/host-path'
      ? !isLetGoEarly(volume) && ownHolds(volume).length === 0
      : plugin !== undefined && pluginsWithoutDeletion.has(plugin);
  const maker = volume.metadata.annotations?.[provisionedByAnnotation] ?? plugin;
  return isInVain && maker === plugin ? plugin : undefined;
}

/** Finalizers that wait for other objects, and not for the storage. */
const notForStorage: ReadonlySet<string> = new Set([finalizers.pvProtection, 'foregroundDeletion', 'orphan']);

/** Whether a volume with policy Delete goes without its storage, since it is being deleted; see {@link isUnheld}. */
export function isLeftBehind(volume: PersistentVolume): boolean {
  return (
    isTerminating(volume) &&
    volume.spec?.persistentVolumeReclaimPolicy === 'Delete' &&
    isUnheld(volume) &&
    !isStorageDeleted(volume)
  );
}

/**
 * Whether an external provisioner leaves the volume alone once it is being deleted, since it has no finalizer
 * that could wait for the storage. A finalizer that is not known could be that of a provisioner, and
 * kube-controller-manager still tries to delete what is its own.
 */
export function isUnheld(volume: PersistentVolume): boolean {
  return (
    isOfExternalProvisioner(volume) &&
    (volume.metadata.finalizers ?? []).every(
      (each) => notForStorage.has(each) || each.startsWith('external-attacher/'),
    )
  );
}

/** Goes by the annotations rather than by the source, since not every in-tree source is read. */
function isOfExternalProvisioner({ metadata: { annotations = {} }, spec }: PersistentVolume): boolean {
  const maker = annotations[provisionedByAnnotation];
  return (
    spec?.csi !== undefined ||
    annotations[migratedToAnnotation] !== undefined ||
    (maker !== undefined && !maker.startsWith('kubernetes.io/'))
  );
}

/** Returns what happens to the data of a volume once the claim to which it is bound is gone. */
export function volumeFate(name: string, volume: PersistentVolume, classes: Classes): VolumeFate {
  const { metadata, spec } = volume;
  const { window, isUnusable, isClassUnread } = askedWindow(volume, classes);
  switch (spec?.persistentVolumeReclaimPolicy) {
    case 'Delete':
      if (isLeftBehind(volume)) {
        return { data: 'leftBehind', volume: name, source: 'reclaim' };
      }
      return undeletable(volume) === undefined
        ? {
            ...{ data: 'deleted', volume: name, window },
            ...(isUnusable ? { isUnusable } : {}),
            ...(isClassUnread ? { isClassUnread } : {}),
            source: 'reclaimPolicy',
          }
        : { data: 'kept', volume: name, source: 'reclaimPolicy' };
    case 'Recycle':
      return { data: 'scrubbed', volume: name, source: 'reclaimPolicy' };
    default: {
      const isAsked = isClassUnread || (window !== undefined && !isUnusable);
      return meansDelete(volume) && isAsked && metadata.finalizers?.includes(undoFinalizer) === true
        ? { data: 'deletedLater', volume: name, window, source: 'reclaimWindow' }
        : { data: 'kept', volume: name, source: 'reclaimPolicy' };
    }
  }
}

/** Returns the undo window that a volume or its class asks for, as it is written there. */
function askedWindow(
  volume: PersistentVolume,
  classes: Classes,
): { readonly window: string | undefined; readonly isUnusable: boolean; readonly isClassUnread: boolean } {
  const className = classOf(volume);
  const storageClass = classes?.find(({ metadata }) => metadata.name === className);
  // Whether the gate is on is not known here.
  const request = windowRequestOf(volume, storageClass, true);
  return request.kind === 'none'
    ? { window: undefined, isUnusable: false, isClassUnread: classes === undefined && className !== '' }
    : { window: request.value, isUnusable: request.kind === 'unusable', isClassUnread: false };
}

/** What happens to the data, as a part of a sentence. */
export function dataWords(volume: VolumeFate): string {
  switch (volume.data) {
    case 'none':
      return 'none, not bound';
    case 'foreign':
      return `none: ${volume.volume} is bound to another claim, ${volume.boundTo}`;
    case 'missing':
      return `none: there is no volume ${volume.volume}`;
    case 'unknown':
      return `in ${volume.volume}, which could not be read`;
    case 'deleted':
      if (volume.isClassUnread === true) {
        return `deleted with ${volume.volume}, at once or after an undo window: its class, which might ask for one, could not be read`;
      }
      if (volume.isUnusable === true) {
        return `deleted with ${volume.volume} at once, or kept: the undo window of ${quoted(volume.window ?? '')} that it asks for is not possible`;
      }
      return volume.window === undefined
        ? `deleted with ${volume.volume}`
        : `deleted with ${volume.volume}, at once or after the undo window of ${volume.window} that it asks for`;
    case 'scrubbed':
      return `scrubbed in ${volume.volume}`;
    case 'kept':
      return `kept in ${volume.volume}`;
    case 'leftBehind':
      return `left behind: ${volume.volume} is being deleted, and no finalizer holds it until its storage is deleted`;
    case 'deletedLater':
      return `deleted later with ${volume.volume}${volume.absent === undefined ? '' : ', once pv-reclaim-honor is at work again'}`;
  }
}
