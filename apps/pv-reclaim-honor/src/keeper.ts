import { finalizers, type PersistentVolume } from '@holdfast/core';
import { driverOfPlugin } from './csi-migration.ts';
import {
  heldByAnnotation,
  hostPathFinalizer,
  ownHolds,
  provisionedByAnnotation,
  recordedHold,
} from './decide/held-by.ts';
import type { Keeper, Mode, OurKeeper } from './decide/snapshot.ts';
import { inTreePluginOf } from './volume-source.ts';

/** Names the CSI driver that has taken over the volume's in-tree plugin. */
const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** The annotations that {@link keeperOf} reads. */
export const keeperAnnotations = [provisionedByAnnotation, migratedToAnnotation, heldByAnnotation] as const;

/** What this process can delete, and what its flags say. */
export interface KeeperOptions {
  /** In mode guard in-tree volumes are not held, see `decide.ts`. */
  readonly mode: Mode;
  /** Whether this process has the socket of some driver, connected or not. */
  readonly hasSockets: boolean;
  /** Returns whether a CSI driver of this name is, or was, connected. */
  readonly hasDriver: (name: string) => boolean;
  /** In-tree plugins whose volumes belong to their CSI drivers, even without the annotation. */
  readonly migratedPlugins: readonly string[];
  /** Returns whether one of our own in-tree plugins can delete the volume. */
  readonly canDeleteInTree: (volume: PersistentVolume) => boolean;
  readonly csiFinalizer: string;
  /** Only volumes whose `claimRef` points into these namespaces are ours; empty: all. */
  readonly namespaces: readonly string[];
}

/**
 * Returns what deletes the volume on its storage.
 *
 * | source                | provisioned-by                            | migrated-to                                    | keeper        |
 * |-----------------------|-------------------------------------------|------------------------------------------------|---------------|
 * | CSI, of one of ours   | that driver, or absent                    | that driver, or absent                         | the driver    |
 * | CSI, of one of ours   | any                                       | that driver                                    | the driver    |
 * | in-tree               | that plugin, or absent                    | the driver that takes it over, and one of ours | the driver    |
 * | in-tree               | that plugin, or absent                    | absent, plugin in --migrated-plugins           | the driver    |
 * | in-tree               | the driver that takes it over, one of ours| that driver, or absent                         | the driver    |
 * | in-tree               | that plugin, or absent                    | absent                                         | the plugin    |
 * | anything else         |                                           |                                                | foreign       |
 *
 * Source and annotations must agree: an external provisioner (for example of directories on NFS) gives its
 * volumes in-tree sources, but deletes them in its own way. If a foreign volume has a finalizer of our own,
 * its keeper is away, unless `--namespaces` excludes the volume.
 */
export function keeperOf(volume: PersistentVolume, options: KeeperOptions): Keeper {
  const { namespaces, csiFinalizer, hasSockets } = options;
  if (namespaces.length > 0 && !namespaces.includes(volume.spec?.claimRef?.namespace ?? '')) {
    return { kind: 'foreign' };
  }
  const keeper = keeperHere(volume, options);
  if (keeper !== undefined) {
    return keeper;
  }
  return ownHolds(volume, csiFinalizer).length > 0 || recordedHold(volume) !== undefined
    ? {
        kind: 'away',
        name: volume.spec?.csi?.driver ?? inTreePluginOf(volume) ?? 'unknown',
        csiFinalizer,
        endsAll: !hasSockets,
      }
    : { kind: 'foreign' };
}

/** Undefined if what deletes the volume is not here. */
function keeperHere(volume: PersistentVolume, options: KeeperOptions): OurKeeper | undefined {
  const { hasDriver, migratedPlugins, canDeleteInTree, csiFinalizer, mode } = options;
  const { annotations = {} } = volume.metadata;
  const provisionedBy = annotations[provisionedByAnnotation];
  const migratedTo = annotations[migratedToAnnotation];
  if (volume.spec?.csi !== undefined) {
    const { driver } = volume.spec.csi;
    return (migratedTo ?? provisionedBy ?? driver) === driver && hasDriver(driver)
      ? { kind: 'csi', name: driver, finalizer: csiFinalizer, stale: undefined, canDelete: true }
      : undefined;
  }
  const plugin = inTreePluginOf(volume);
  const takenOverBy = plugin === undefined ? undefined : driverOfPlugin(plugin);
  if (plugin === undefined || ![undefined, plugin, takenOverBy].includes(provisionedBy)) {
    return undefined;
  }
  if (
    takenOverBy !== undefined &&
    (migratedTo !== undefined || provisionedBy === takenOverBy || migratedPlugins.includes(plugin))
  ) {
    return (migratedTo ?? takenOverBy) === takenOverBy && hasDriver(takenOverBy)
      ? {
          kind: 'csi',
          name: takenOverBy,
          finalizer: csiFinalizer,
          stale: finalizers.pvController,
          canDelete: true,
        }
      : undefined;
  }
  const isHere = canDeleteInTree(volume);
  const canDelete = mode === 'reclaim' && isHere;
  // A host path elsewhere might belong to another process with a root of its own.
  const isElsewhere = !isHere && volume.spec?.hostPath !== undefined && ownHolds(volume).length > 0;
  if (migratedTo !== undefined || isElsewhere) {
    return undefined;
  }
  return {
    kind: 'inTree',
    name: plugin,
    finalizer: finalizers.pvController,
    // Only a plugin that can be migrated might have left one behind.
    stale: takenOverBy === undefined ? undefined : csiFinalizer,
    second: canDelete && isLetGoEarly(volume) ? hostPathFinalizer : undefined,
    canDelete,
  };
}

/** Returns whether kube-controller-manager lets go of the volume, see {@link hostPathFinalizer}. */
export function isLetGoEarly({ spec }: PersistentVolume): boolean {
  return /\/tmp\/./s.test(spec?.hostPath?.path ?? '');
}
