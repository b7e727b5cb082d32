import type { ObjectKey, PersistentVolume } from '@holdfast/core';

/**
 * `guard`: this app only manages finalizers and another provisioner deletes; `reclaim`: this app does both.
 */
export type Mode = 'guard' | 'reclaim';

/**
 * A reclaim policy: Delete, one that keeps object and storage (Retain, Recycle), or one that is unknown here.
 */
export type Policy = 'Delete' | 'other' | 'unknown';

/** What deletes the volume on its storage; until then its finalizer holds the volume. */
export interface OurKeeper {
  readonly kind: 'csi' | 'inTree';
  /** Name of the CSI driver or in-tree plugin, for example `kubernetes.io/host-path`. */
  readonly name: string;
  readonly finalizer: string;
  /** Holds the volume too, where others remove `finalizer` before the storage is deleted. Default: none. */
  readonly second?: string | undefined;
  /** The finalizer that turning migration on or off has left behind; undefined if there can be none. */
  readonly stale: string | undefined;
  /**
   * Whether this process, or a provisioner that later lets go of the volume, can delete it. If false, whoever
   * can does not need our finalizer.
   */
  readonly canDelete: boolean;
}

/**
 * A process of this app has put its finalizer on the volume, but what deletes the volume is not here: its
 * driver is not connected, or its folder is not below our root. Another process of the app might have it.
 */
export interface AwayKeeper {
  readonly kind: 'away';
  /** Name of the CSI driver or in-tree plugin. */
  readonly name: string;
  /** The value of `--csi-finalizer`. */
  readonly csiFinalizer: string;
  /** Whether this process, if the gate is off, removes our finalizer from such volumes too. */
  readonly endsAll: boolean;
}

/** What deletes a volume on its storage: this process, a process that is not here, or something else. */
export type Keeper = OurKeeper | AwayKeeper | { readonly kind: 'foreign' };

/** What a volume's undo window depends on (gate ReclaimGracePeriod). */
export interface UndoFacts {
  /** Whether the gate is on. */
  readonly enabled: boolean;
  /**
   * The window that the volume or its class asks for, in milliseconds; `unusable` if it asks for one that is
   * not possible; undefined if it asks for none.
   */
  readonly grace: number | 'unusable' | undefined;
  /**
   * Whether a claim with the namespace and name in the volume's `claimRef`, but another UID, names the volume
   * and is not terminating.
   */
  readonly askedBack: boolean;
  /** The time of this machine's clock, in milliseconds since 1970. */
  readonly now: number;
  /** The API server's time, in milliseconds since 1970; undefined if it is not known. */
  readonly serverNow: number | undefined;
  /** No window is over before this time, in milliseconds since 1970; undefined: each ends at its own time. */
  readonly noneOverBefore: number | undefined;
}

/** A volume that lacks the shape of its kind. */
export interface UnreadableVolume {
  /** Empty if it cannot be read either. */
  readonly name: string;
  /** What is wrong with it. */
  readonly why: string;
}

/** A volume and everything that it depends on, all of it from one source. */
export interface Observation {
  readonly source: 'cache' | 'server';
  /** Undefined if it is gone. */
  readonly volume: PersistentVolume | undefined;
  /** UID of the claim at the namespace and name in the volume's `claimRef`; undefined if there is none. */
  readonly claimUid: string | undefined;
  /** Whether that claim says that it is bound to the volume, even if its UID is not the one in `claimRef`. */
  readonly claimBound: boolean;
  /** Another claim, of another namespace or name, that says so; undefined if there is none. */
  readonly boundElsewhere: ObjectKey | undefined;
  /** A namespace whose claims the cache does not have yet, and will have: one that says so might be there. */
  readonly unlisted: string | undefined;
  /** Nodes to which the volume is attached. */
  readonly attachedTo: readonly string[];
  /** Some of the volumes that have overlapping storage and need it. It is empty only if there are none. */
  readonly sharedWith: readonly string[];
  /**
   * The volumes that have overlapping storage and do not need it, as the API server has them; perhaps not whole. Not
   * looked for where anything stands in the way of a deletion.
   */
  readonly freeOver: readonly PersistentVolume[];
  /**
   * An unreadable volume whose storage might overlap; undefined if there is none, or the search was not done.
   */
  readonly unreadable?: UnreadableVolume | undefined;
  /** Undefined if the volume has neither an undo window nor a mark of one. */
  readonly undo?: UndoFacts | undefined;
}

/** Everything that the decision is based on. */
export interface Snapshot extends Observation {
  readonly keeper: Keeper;
  /** Whether the storage system has confirmed the deletion to this process. */
  readonly storageDeleted: boolean;
  /** Whether gate HonorPVReclaimPolicy is on. */
  readonly honor: boolean;
  readonly mode: Mode;
}

/** A snapshot of a volume that exists and whose keeper is this process. */
export interface OurSnapshot extends Snapshot {
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  /** The volume's finalizers that wait for its keeper. */
  readonly held: readonly string[];
  /** The volume's finalizers that only this app can have added. */
  readonly own: readonly string[];
  /** The effective reclaim policy: that of the field, unless an undo window changes it. */
  readonly policy: Policy;
}

/** A snapshot of a volume that we hold while its keeper is away. */
export interface AwaySnapshot extends Snapshot {
  readonly volume: PersistentVolume;
  readonly keeper: AwayKeeper;
}
