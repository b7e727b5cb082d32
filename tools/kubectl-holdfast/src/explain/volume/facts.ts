import type { PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '@holdfast/core';
import {
  inTreePluginOf,
  isBoundTo,
  meansDelete,
  ownHolds,
  provisionedByAnnotation,
  windowRequestOf,
  type WindowRequest,
} from '@holdfast/pv-reclaim-honor/decide';
import { seesClaimsOf, type Reclaimer } from '../../cluster/reclaimer.ts';
import type { Sharing } from '../../cluster/sharing.ts';
import { soleHolds } from '../../plan/storage-hold.ts';
import type { WindowKeeper } from '../../plan/vacancy-wait.ts';
import { migratedToAnnotation } from '../../plan/volume-fate.ts';

/** A volume and everything on which its explanation depends. */
export interface VolumeFacts {
  readonly volume: PersistentVolume;
  /**
   * The claim that `claimRef` names, whatever its UID; undefined if there is none; `unread` if it may not be
   * read.
   */
  readonly claim: PersistentVolumeClaim | 'unread' | undefined;
  /**
   * The claim with the UID in `claimRef`, or else one that says that it is bound to the volume, where `claimRef` names
   * another one or none: somebody has changed it. Default: there is none.
   */
  readonly elsewhere?: PersistentVolumeClaim | undefined;
  /** Whether it is not known whether there is one. Default: it is known. */
  readonly isElsewhereUnread?: boolean;
  /** Undefined if they may not be read. */
  readonly attachments: readonly VolumeAttachment[] | undefined;
  /** How Holdfast's pv-reclaim-honor is at work; undefined if it is not. */
  readonly holdfast: Reclaimer | undefined;
  /** Why these might be others, or pv-reclaim-honor at work after all. Default: they are known. */
  readonly hidden?: string | undefined;
  /** Its class; undefined if it has none, or that is not there; `unread` if it may not be read. */
  readonly storageClass: StorageClass | 'unread' | undefined;
  /** Default: pv-reclaim-honor is at work, or that is not known, and it does not wait. */
  readonly keeper?: WindowKeeper;
  /** Default: no other volume has the storage, or that does not matter now. */
  readonly sharing?: Sharing;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whether the claim at another name has the UID in `claimRef`, and does not only say that it is bound. */
export function hasUidOf({ volume, elsewhere }: VolumeFacts): boolean {
  return elsewhere !== undefined && elsewhere.metadata.uid === volume.spec?.claimRef?.uid;
}

/**
 * Returns the undo window that the volume should have; `unread` if only its class might ask for one, which could not be
 * read. Where the gate of pv-reclaim-honor is not known, it counts as on.
 */
export function windowOf({ volume, storageClass, holdfast }: VolumeFacts): WindowRequest | 'unread' {
  const isOn = holdfast?.gates.enabled('ReclaimGracePeriod') ?? true;
  const request = windowRequestOf(volume, storageClass === 'unread' ? undefined : storageClass, isOn);
  return request.kind === 'none' && storageClass === 'unread' ? storageClass : request;
}

/** Whether its claim is said to be gone by the phase; Failed means that a deletion was tried. */
export function isReleased(volume: PersistentVolume): boolean {
  return ['Released', 'Failed'].includes(phaseOf(volume));
}

/** The finalizers that nobody takes off now: only pv-reclaim-honor does, and it is not at work. */
export function idleHolds({ volume, keeper }: VolumeFacts): readonly string[] {
  return keeper?.absent === undefined ? [] : soleHolds(volume);
}

export function policyOf({ spec }: PersistentVolume): string {
  return spec?.persistentVolumeReclaimPolicy ?? 'Retain';
}

export function phaseOf({ status }: PersistentVolume): string {
  return status?.phase ?? 'of no phase';
}

export function claimName({ spec }: PersistentVolume): string | undefined {
  const { namespace, name } = spec?.claimRef ?? {};
  return name === undefined ? undefined : `${namespace ?? ''}/${name}`;
}

/** An administrator can reserve a volume for a claim by a reference without a UID. */
export function wasBound({ spec }: PersistentVolume): boolean {
  return (spec?.claimRef?.uid ?? '') !== '';
}

/**
 * Whether the claim exists to which the volume is bound. If the claim may not be read, the volume's phase can
 * show that it is gone, but not that it exists. A claim that only has the UID, or only says that it is bound to the
 * volume (`elsewhere`), and one that has the name and says so (`bound`), count if pv-reclaim-honor waits for them.
 */
export function fateOfClaim(facts: VolumeFacts): 'lives' | 'gone' | 'unknown' | 'elsewhere' | 'bound' {
  const { volume, claim, elsewhere } = facts;
  if (elsewhere !== undefined && isAwaited(elsewhere, facts)) {
    return 'elsewhere';
  }
  if (claim === 'unread') {
    return isReleased(volume) ? 'gone' : 'unknown';
  }
  if (claim === undefined) {
    return 'gone';
  }
  if (claim.metadata.uid === volume.spec?.claimRef?.uid) {
    return 'lives';
  }
  return isBoundTo(claim, volume) && isAwaited(claim, facts) ? 'bound' : 'gone';
}

/** Returns the claim, other than the one that `claimRef` means, for which pv-reclaim-honor keeps the storage. */
export function otherAwaited(facts: VolumeFacts): PersistentVolumeClaim | undefined {
  switch (fateOfClaim(facts)) {
    case 'elsewhere':
      return facts.elsewhere;
    case 'bound':
      return facts.claim === 'unread' ? undefined : facts.claim;
    case 'lives':
    case 'gone':
    case 'unknown':
      return undefined;
  }
}

/**
 * Whether pv-reclaim-honor keeps the storage for a claim that is not the one that `claimRef` means. In mode guard the
 * provisioner deletes it, and goes by the phase.
 */
function isAwaited({ metadata: { namespace = '' } }: PersistentVolumeClaim, facts: VolumeFacts): boolean {
  const { volume, holdfast } = facts;
  if (policyOf(volume) !== 'Delete' && !meansDelete(volume)) {
    return false;
  }
  if (isFolderHeld(volume)) {
    return true;
  }
  return (
    holdfast?.mode === 'reclaim' &&
    isKept(facts) &&
    holdfast.gates.enabled('HonorPVReclaimPolicy') &&
    seesClaimsOf(holdfast, namespace)
  );
}

/** The component that creates and deletes the volume's storage. */
export function keeperOf(volume: PersistentVolume): { readonly name: string; readonly isCsi: boolean } {
  const driver = volume.spec?.csi?.driver;
  return driver === undefined
    ? { name: inTreePluginOf(volume) ?? 'a plugin that is not known', isCsi: false }
    : { name: driver, isCsi: true };
}

/** Whether Holdfast manages the volume: a CSI volume that only its driver has made, as in `keeper.ts`. */
export function isKept({ volume, holdfast }: VolumeFacts): boolean {
  const { name, isCsi } = keeperOf(volume);
  const { annotations = {} } = volume.metadata;
  const maker = annotations[migratedToAnnotation] ?? annotations[provisionedByAnnotation] ?? name;
  return holdfast !== undefined && isCsi && maker === name;
}

/** Whether it is a hostPath volume that no external provisioner made. */
export function isFolder({ metadata, spec }: PersistentVolume): boolean {
  const plugin = 'kubernetes.io/host-path';
  const { [provisionedByAnnotation]: maker = plugin } = metadata.annotations ?? {};
  return spec?.hostPath !== undefined && maker === plugin;
}

export function isFolderHeld(volume: PersistentVolume): boolean {
  return isFolder(volume) && ownHolds(volume).length > 0;
}
