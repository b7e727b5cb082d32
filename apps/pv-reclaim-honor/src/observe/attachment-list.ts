import type { PersistentVolume, VolumeAttachment } from '@holdfast/core';
import { askedTogether } from '../asked-together.ts';
import {
  csiIdentityOf,
  storageIdentityOf,
  storagesOverlap,
  type StorageIdentity,
} from '../storage-identity.ts';

/** What is attached to which nodes. */
interface Attached {
  readonly byVolume: ReadonlyMap<string, readonly string[]>;
  /** Storage that a pod names by itself, without a PersistentVolume, in the form that its CSI driver knows. */
  readonly inline: readonly { readonly storage: StorageIdentity; readonly nodeName: string }[];
}

/**
 * Lists all attachments of the cluster, since they can't be selected by volume, once for all callers at the same time, and always after
 * the question: until then the volume could still be attached.
 *
 * @param list all attachments, at their newest state.
 * @returns a function that answers with the nodes to which any of the volumes is attached, by its name or by its storage, and throws what
 *   `list` throws.
 */
export function createAttachmentList(
  list: () => AsyncIterable<VolumeAttachment>,
): (volumes: readonly PersistentVolume[]) => Promise<readonly string[]> {
  const ask = askedTogether(() => attachedBy(list()));
  return async (volumes) => {
    const { byVolume, inline } = await ask();
    const storages =
      inline.length === 0
        ? []
        : volumes.flatMap((each) => {
            const storage = storageIdentityOf(each);
            return storage === undefined ? [] : [storage];
          });
    return [
      ...volumes.flatMap(({ metadata }) => byVolume.get(metadata.name) ?? []),
      ...inline
        .filter(({ storage }) => storages.some((each) => storagesOverlap(each, storage)))
        .map(({ nodeName }) => nodeName),
    ];
  };
}

async function attachedBy(attachments: AsyncIterable<VolumeAttachment>): Promise<Attached> {
  const byVolume = new Map<string, string[]>();
  const inline: { storage: StorageIdentity; nodeName: string }[] = [];
  for await (const { spec } of attachments) {
    const { nodeName, source } = spec;
    const { persistentVolumeName, inlineVolumeSpec } = source;
    if (persistentVolumeName !== undefined) {
      byVolume.set(persistentVolumeName, [...(byVolume.get(persistentVolumeName) ?? []), nodeName]);
    }
    if (inlineVolumeSpec?.csi !== undefined) {
      const { driver, volumeHandle } = inlineVolumeSpec.csi;
      inline.push({ storage: csiIdentityOf(driver, volumeHandle), nodeName });
    }
  }
  return { byVolume, inline };
}
