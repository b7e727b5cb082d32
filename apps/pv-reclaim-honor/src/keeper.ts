import { finalizers, type PersistentVolume } from '@holdfast/core';
import { driverOfPlugin } from './csi-migration.ts';
import type { Keeper } from './decide/snapshot.ts';
import { inTreePluginOf } from './volume-source.ts';

/** The provisioner that created the volume's storage; absent on volumes that a user made. */
const provisionedByAnnotation = 'pv.kubernetes.io/provisioned-by';
/** The CSI driver that has taken over the volume's in-tree plugin. */
const migratedToAnnotation = 'pv.kubernetes.io/migrated-to';

/** The annotations that {@link keeperOf} reads. */
export const keeperAnnotations = [provisionedByAnnotation, migratedToAnnotation] as const;

/** What this process can delete, and what its flags say. */
export interface KeeperOptions {
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
 * deletes them in its own way.
 */
export function keeperOf(volume: PersistentVolume, options: KeeperOptions): Keeper {
  const { hasDriver, migratedPlugins, canDeleteInTree, csiFinalizer, namespaces } = options;
  const { annotations = {} } = volume.metadata;
  const provisionedBy = annotations[provisionedByAnnotation];
  const migratedTo = annotations[migratedToAnnotation];
  if (namespaces.length > 0 && !namespaces.includes(volume.spec?.claimRef?.namespace ?? '')) {
    return { kind: 'foreign' };
  }
  if (volume.spec?.csi !== undefined) {
    const { driver } = volume.spec.csi;
    return (migratedTo ?? provisionedBy ?? driver) === driver && hasDriver(driver)
      ? { kind: 'csi', name: driver, finalizer: csiFinalizer, stale: undefined, canDelete: true }
      : { kind: 'foreign' };
  }
  const plugin = inTreePluginOf(volume);
  const takenOverBy = plugin === undefined ? undefined : driverOfPlugin(plugin);
  if (plugin === undefined || ![undefined, plugin, takenOverBy].includes(provisionedBy)) {
    return { kind: 'foreign' };
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
      : { kind: 'foreign' };
  }
  if (migratedTo !== undefined) {
    return { kind: 'foreign' };
  }
  return {
    kind: 'inTree',
    name: plugin,
    finalizer: finalizers.pvController,
    // Only a plugin that can be migrated may have been.
    stale: takenOverBy === undefined ? undefined : csiFinalizer,
    canDelete: canDeleteInTree(volume),
  };
}
