import type { PersistentVolume } from '@holdfast/core';

/** `guard`: finalizers only, another provisioner deletes; `reclaim`: both. */
export type Mode = 'guard' | 'reclaim';

/** A reclaim policy: Delete, one that keeps object and storage (Retain, Recycle), or none that is known here. */
export type Policy = 'Delete' | 'other' | 'unknown';

/** Deletes a volume on its storage; until then the volume is held by its finalizer. */
export interface OurKeeper {
  readonly kind: 'csi' | 'inTree';
  /** Name of the CSI driver or in-tree plugin, for example `kubernetes.io/host-path`. */
  readonly name: string;
  readonly finalizer: string;
  /** The finalizer that turning migration on or off has left behind; undefined where there can be none. */
  readonly stale: string | undefined;
  /** This process can delete the volume, or a provisioner that lets go of it later; false: whoever can does not need our finalizer. */
  readonly canDelete: boolean;
}

/**
 * A process of this app has put its finalizer on the volume, but what deletes the volume is not here: a driver that is not connected, or a
 * folder that is not below our root. Another process of the app might have it.
 */
export interface AwayKeeper {
  readonly kind: 'away';
  /** Name of the CSI driver or in-tree plugin. */
  readonly name: string;
  /** `--csi-finalizer`. */
  readonly csiFinalizer: string;
  /** With the gate off, this process takes our finalizer off such volumes too. */
  readonly endsAll: boolean;
}

/** Who deletes a volume on its storage: one of ours, one that is not here, or somebody else. */
export type Keeper = OurKeeper | AwayKeeper | { readonly kind: 'foreign' };

/** What a volume's undo window depends on (gate ReclaimGracePeriod). */
export interface UndoFacts {
  /** The gate is on. */
  readonly enabled: boolean;
  /**
   * The window that the volume or its class asks for, milliseconds; `unusable`: it asks for one that it can't have; undefined: it asks for
   * none.
   */
  readonly grace: number | 'unusable' | undefined;
  /** A claim of the namespace and name in the volume's `claimRef`, but of another UID, names the volume, and is not terminating. */
  readonly askedBack: boolean;
  /** This machine's clock, milliseconds since 1970. */
  readonly now: number;
  /** The API server's; undefined: not known. */
  readonly serverNow: number | undefined;
}

/** A volume that is not of the shape of its kind. */
export interface UnreadableVolume {
  /** Empty when it can't be read either. */
  readonly name: string;
  /** What is wrong with it. */
  readonly why: string;
}

/** A volume and what it depends on, all of it as one source has it. */
export interface Observation {
  readonly source: 'cache' | 'server';
  /** Undefined: it is gone. */
  readonly volume: PersistentVolume | undefined;
  /** UID of the claim at the namespace and name of the volume's `claimRef`; undefined: there is none. */
  readonly claimUid: string | undefined;
  /** Nodes to which the volume is attached. */
  readonly attachedTo: readonly string[];
  /** Some of the volumes whose storage overlaps and that need it; none only if there are none. */
  readonly sharedWith: readonly string[];
  /** A volume that can't be read, and whose storage might overlap; undefined: there is none, or none was looked for. */
  readonly unreadable?: UnreadableVolume | undefined;
  /** Undefined: the volume has neither an undo window nor a mark of one. */
  readonly undo?: UndoFacts | undefined;
}

/** All that the decision rests on. */
export interface Snapshot extends Observation {
  readonly keeper: Keeper;
  /** The storage system has confirmed the deletion to this process. */
  readonly storageDeleted: boolean;
  /** Gate HonorPVReclaimPolicy. */
  readonly honor: boolean;
  readonly mode: Mode;
}

/** A snapshot of a volume that is there, and ours. */
export interface OurSnapshot extends Snapshot {
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  /** The volume's finalizers that wait for its keeper. */
  readonly held: readonly string[];
  /** Those of the volume's finalizers that this app alone has put there. */
  readonly own: readonly string[];
  /** The reclaim policy that counts: that of the field, or what an undo window makes of it. */
  readonly policy: Policy;
}

/** A snapshot of a volume that is held by us, while its keeper is away. */
export interface AwaySnapshot extends Snapshot {
  readonly volume: PersistentVolume;
  readonly keeper: AwayKeeper;
}
