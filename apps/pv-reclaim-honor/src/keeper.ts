import { finalizers, type PersistentVolume } from '@holdfast/core';
import { driverOfPlugin } from './csi-migration.ts';
import { heldByAnnotation, ownHolds, provisionedByAnnotation, recordedHold } from './decide/held-by.ts';
import type { Keeper, Mode, OurKeeper } from './decide/snapshot.ts';
import { inTreePluginOf } from './volume-source.ts';

/** The CSI driver that has taken over the volume's in-tree plugin. */
const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** The annotations that {@link keeperOf} reads. */
export const keeperAnnotations = [provisionedByAnnotation, migratedToAnnotation, heldByAnnotation] as const;

/** What this process can delete, and what its flags say. */
export interface KeeperOptions {
  /** In mode guard in-tree volumes are not held, see `decide.ts`. */
  readonly mode: Mode;
  /** This process has the socket of some driver, connected or not. */
  readonly hasSockets: boolean;
  /** Whether a CSI driver of this name is, or was, connected. */
  readonly hasDriver: (name: string) => boolean;
  /** In-tree plugins whose volumes belong to their CSI drivers, whether or not they are annotated so. */
  readonly migratedPlugins: readonly string[];
  /** Whether one of our own in-tree plugins can delete the volume. */
  readonly canDeleteInTree: (volume: PersistentVolume) => boolean;
  readonly csiFinalizer: string;
  /** Only volumes whose `claimRef` points into these; empty: all. */
  readonly namespaces: readonly string[];
}

/**
 * Who deletes the volume on its storage.
 *
 * | source                | provisioned-by                            | migrated-to                                    | keeper        |
 * |-----------------------|-------------------------------------------|------------------------------------------------|---------------|
 * | CSI, of one of ours   | that driver, or absent                    | that driver, or absent                         | the driver    |
 * | CSI, of one of ours   | any                                       | that driver                                    | the driver    |
 * | in-tree               | that plugin, or absent                    | the driver that takes it over, and one of ours | the driver    |
 * | in-tree               | that plugin, or absent                    | absent, plugin in --migrated-plugins           | the driver    |
 * | in-tree               | the driver that takes it over, one of ours| that driver, or absent                         | the driver    |
 * | in-tree               | that plugin, or absent                    | absent                                         | the plugin    |
 * | anything else         |                                           |                                                | somebody else |
 *
 * Source and annotations must agree: an external provisioner (of directories on NFS, say) gives its volumes in-tree sources, but
 * deletes them in its own way. Somebody else's volume that has a finalizer of our own is that of a keeper that is away, unless `--namespaces`
 * leaves it out.
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

/** Undefined: the one who deletes the volume is not here. */
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
  // A host path elsewhere might be another process's, with a root of its own.
  const isElsewhere = !isHere && volume.spec?.hostPath !== undefined && ownHolds(volume).length > 0;
  if (migratedTo !== undefined || isElsewhere) {
    return undefined;
  }
  return {
    kind: 'inTree',
    name: plugin,
    finalizer: finalizers.pvController,
    // Only a plugin that can be migrated may have been.
    stale: takenOverBy === undefined ? undefined : csiFinalizer,
    canDelete: mode === 'reclaim' && isHere,
  };
}
