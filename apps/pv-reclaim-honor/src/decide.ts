import { hasFinalizer, isTerminating, type PersistentVolume } from '@holdfast/core';

/** `guard`: finalizers only, another provisioner deletes; `reclaim`: both. */
export type Mode = 'guard' | 'reclaim';

/** Who deletes a volume on its storage, and by which finalizer the volume is held until then. */
export type Keeper =
  | { readonly kind: 'foreign' }
  | {
      readonly kind: 'csi' | 'inTree';
      /** Name of the CSI driver or in-tree plugin, for example `kubernetes.io/host-path`. */
      readonly name: string;
      readonly finalizer: string;
      /** The finalizer that a migration turned on or off has left behind; undefined where there can be none. */
      readonly stale: string | undefined;
      /** There is somebody who can delete the volume, and so let go of it later. */
      readonly canDelete: boolean;
    };

/** All that the decision rests on. */
export interface Snapshot {
  /** Undefined: it is gone. */
  readonly volume: PersistentVolume | undefined;
  readonly keeper: Keeper;
  /** UID of the claim that stands where the volume's `claimRef` points; undefined: there is none. */
  readonly claimUid: string | undefined;
  /** Nodes to which the volume is attached. */
  readonly attachedTo: readonly string[];
  /** Volumes of the same storage volume that are not to be reclaimed now. */
  readonly sharedWith: readonly string[];
  /** Whether volume, claim and attachments are the cache's or the API server's own word. */
  readonly source: 'cache' | 'server';
  /** The storage system has confirmed the deletion to this process. */
  readonly storageDeleted: boolean;
  /** Gate HonorPVReclaimPolicy. */
  readonly honor: boolean;
  readonly mode: Mode;
}

/** A volume that waits. The end of what the cache has wakes it; what was seen only live the cache may never come to know. */
export interface Postponement {
  readonly kind: 'postpone';
  readonly reason: 'Attached' | 'StorageShared' | 'ClaimLives';
  /** Nodes, volumes, or the claim. */
  readonly by: readonly string[];
  readonly source: Snapshot['source'];
}

export type Decision =
  | {
      readonly kind: 'none';
      readonly reason:
        | 'VolumeGone'
        | 'NotOurs'
        | 'NotHeld'
        | 'NeverBound'
        | 'Held'
        | 'NobodyCanDelete'
        | 'NotReleasedYet'
        | 'LeftToProvisioner';
    }
  | Postponement
  | {
      readonly kind: 'changeFinalizers';
      readonly volume: PersistentVolume;
      readonly add: readonly string[];
      readonly remove: readonly string[];
      readonly reason: 'Bound' | 'Migrated' | 'GateOff' | 'PolicyNotDelete' | 'NeverBound';
    }
  /** Deletion was asked for before the finalizer was there, and nothing can be added any more. */
  | { readonly kind: 'warnOfLeak'; readonly volume: PersistentVolume; readonly reason: 'TerminatingUnheld' }
  /** By the cache the volume is to be reclaimed, which is no proof: ask the API server, then decide again. */
  | { readonly kind: 'askServer'; readonly volume: PersistentVolume; readonly reason: 'ReleasedInCache' }
  | { readonly kind: 'reclaim'; readonly volume: PersistentVolume; readonly reason: 'Released' }
  /** Nothing is left to hold the volume for: delete the object, and let go of it. */
  | { readonly kind: 'finish'; readonly volume: PersistentVolume; readonly reason: 'StorageDeleted' };

/**
 * | volume | held | gate | policy | claim (by UID) | terminating | else            | answer           |
 * |--------|------|------|--------|----------------|-------------|-----------------|------------------|
 * | gone, or not ours   | -    | -      | -              | -           | -               | none             |
 * | ours   | no   | -    | -      | -              | yes         | storage deleted | none             |
 * | ours   | -    | -    | -      | -              | -           | storage deleted | finish           |
 * | ours   | yes  | off  | -      | -              | yes         | in-tree, phase Bound | none        |
 * | ours   | yes  | off  | -      | -              | -           | -               | remove           |
 * | ours   | yes  | on   | others | -              | -           | -               | remove           |
 * | ours   | no   | one of these two    | -              | -           | -               | none             |
 * | ours   | yes  | on   | Delete | never had one  | yes         | -               | remove           |
 * | ours   | -    | on   | Delete | never had one  | else        | -               | none             |
 * | ours   | no   | on   | Delete | -              | no          | phase not bound | none             |
 * | ours   | no   | on   | Delete | -              | no          | nobody deletes  | none             |
 * | ours   | no   | on   | Delete | -              | no          | -               | add              |
 * | ours   | no   | on   | Delete | -              | yes         | -               | warnOfLeak       |
 * | ours   | by the wrong one    | Delete | -   | no  | migration, either way         | change           |
 * | ours   | yes  | on   | Delete | lives          | -           | -               | none             |
 * | ours   | yes  | on   | Delete | gone           | -           | mode guard      | none             |
 * | ours   | yes  | on   | Delete | gone           | -           | phase not Released or Failed | none |
 * | ours   | yes  | on   | Delete | gone           | -           | attached, or storage shared | postpone |
 * | ours   | yes  | on   | Delete | gone           | -           | all this by the cache       | askServer |
 * | ours   | yes  | on   | Delete | gone           | -           | all this by the API server  | reclaim |
 *
 * "Phase not bound": neither Bound, Released nor Failed, so that no claim has had it yet; the finalizer comes with the binding.
 * A volume that is Released is still to be held before it is reclaimed: its policy may have become Delete only now.
 *
 * "Lives": a claim with the UID of `claimRef` exists, whatever volume it is bound to.
 *
 * The phase is the binder's word, and is waited for besides the claim's being gone: kube-controller-manager (1.31 and later) first of
 * all tries to put `kubernetes.io/pv-controller` back on a provisioned in-tree volume. The API server refuses that for one that is
 * terminating, so that a volume which lost the finalizer while it was Bound would stay Bound, protected and terminating for good.
 */
export function decide(snapshot: Snapshot): Decision {
  const { volume, keeper, honor } = snapshot;
  if (volume === undefined) {
    return { kind: 'none', reason: 'VolumeGone' };
  }
  if (keeper.kind === 'foreign') {
    return { kind: 'none', reason: 'NotOurs' };
  }
  const held = [keeper.finalizer, keeper.stale].filter(
    (finalizer) => finalizer !== undefined && hasFinalizer(volume, finalizer),
  ) as readonly string[];
  if (snapshot.storageDeleted) {
    return held.length > 0 || !isTerminating(volume)
      ? { kind: 'finish', volume, reason: 'StorageDeleted' }
      : { kind: 'none', reason: 'NotHeld' };
  }
  const letGo = (reason: 'GateOff' | 'PolicyNotDelete' | 'NeverBound'): Decision =>
    held.length === 0
      ? { kind: 'none', reason: 'NotHeld' }
      : { kind: 'changeFinalizers', volume, add: [], remove: held, reason };
  if (!honor) {
    return keeper.kind === 'inTree' && isTerminating(volume) && volume.status?.phase === 'Bound'
      ? { kind: 'none', reason: 'NotReleasedYet' }
      : letGo('GateOff');
  }
  if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete') {
    return letGo('PolicyNotDelete');
  }
  if ((volume.spec.claimRef?.uid ?? '') === '') {
    // Reclaim is not run for it, so nobody would ever let go of it.
    return isTerminating(volume) ? letGo('NeverBound') : { kind: 'none', reason: 'NeverBound' };
  }
  return (
    decideHold(volume, keeper, held) ??
    (held.length === 0 ? decideUnheld(volume, keeper) : decideReclaim(volume, snapshot))
  );
}

type OurKeeper = Exclude<Keeper, { kind: 'foreign' }>;

/** The finalizer of a volume that is held by one which migration has made the wrong one. */
function decideHold(
  volume: PersistentVolume,
  { finalizer, stale, canDelete }: OurKeeper,
  held: readonly string[],
): Decision | undefined {
  // What is terminating takes no new finalizer; the old one then holds it until the end.
  if (isTerminating(volume) || stale === undefined || !held.includes(stale)) {
    return undefined;
  }
  const add = held.includes(finalizer) || !canDelete ? [] : [finalizer];
  return { kind: 'changeFinalizers', volume, add, remove: [stale], reason: 'Migrated' };
}

function decideUnheld(volume: PersistentVolume, { finalizer, canDelete }: OurKeeper): Decision {
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

function decideReclaim(volume: PersistentVolume, snapshot: Snapshot): Decision {
  const { claimUid, attachedTo, sharedWith, source, mode } = snapshot;
  if (claimUid === volume.spec?.claimRef?.uid) {
    // The cache wakes the volume when the claim goes; a claim that only the API server has may go unseen.
    return source === 'cache'
      ? { kind: 'none', reason: 'Held' }
      : { kind: 'postpone', reason: 'ClaimLives', by: [claimUid ?? ''], source };
  }
  if (mode === 'guard') {
    return { kind: 'none', reason: 'LeftToProvisioner' };
  }
  if (volume.status?.phase !== 'Released' && volume.status?.phase !== 'Failed') {
    return { kind: 'none', reason: 'NotReleasedYet' };
  }
  if (attachedTo.length > 0) {
    return { kind: 'postpone', reason: 'Attached', by: attachedTo, source };
  }
  if (sharedWith.length > 0) {
    return { kind: 'postpone', reason: 'StorageShared', by: sharedWith, source };
  }
  return source === 'cache'
    ? { kind: 'askServer', volume, reason: 'ReleasedInCache' }
    : { kind: 'reclaim', volume, reason: 'Released' };
}
