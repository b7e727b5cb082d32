import type { PersistentVolume, VolumeAttachment } from '@holdfast/core';
import { askedTogether } from '@holdfast/runtime';
import { isText, isUnset, messageOf } from '../shape.ts';
import {
  anyOfDriver,
  csiStorageOf,
  storageIdentityOf,
  storagesOverlap,
  type StorageIdentity,
} from '../storage-identity.ts';

/** The nodes to which volumes are attached. */
interface Attached {
  readonly byVolume: ReadonlyMap<string, readonly string[]>;
  /** Storage that a pod names itself, without a PersistentVolume, in the form that its CSI driver uses. */
  readonly inline: readonly { readonly storage: StorageIdentity; readonly nodeName: string }[];
}

/**
 * Lists all attachments of the cluster, since they cannot be selected by volume. Callers at the same time
 * share one list, which always begins after they asked: until then the volume could still be attached.
 *
 * @param list yields all attachments, at their newest state.
 * @returns a function that returns the nodes to which any of the volumes is attached, by its name or by its
 *   storage, and throws what `list` throws.
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
  for await (const attachment of attachments) {
    const { nodeName, volumeName, storage } = targetOf(attachment);
    if (volumeName !== undefined) {
      const nodes = byVolume.get(volumeName);
      if (nodes === undefined) {
        byVolume.set(volumeName, [nodeName]);
      } else {
        nodes.push(nodeName);
      }
    }
    if (storage !== undefined) {
      inline.push({ storage, nodeName });
    }
  }
  return { byVolume, inline };
}

/**
 * Returns what an attachment holds, in whatever shape it comes:
 *
 * | source                                      | holds                                            |
 * |---------------------------------------------|--------------------------------------------------|
 * | names a PersistentVolume                    | that one                                         |
 * | has the volume of a pod, of a CSI driver    | that storage, or as much of it as can be read    |
 * | the same, without a handle                  | any volume of the attacher, a CSI driver         |
 * | has the volume of a pod, of another kind    | nothing that is deleted here                     |
 * | cannot be read, or names nothing            | any volume of the attacher                       |
 * | the same, and the attacher cannot be read   | any volume                                       |
 */
function targetOf({ metadata, spec }: VolumeAttachment): {
  readonly nodeName: string;
  readonly volumeName?: string;
  readonly storage?: StorageIdentity;
} {
  const whole = messageOf(spec);
  const source = messageOf(whole?.['source']);
  const nodeName = isText(whole?.['nodeName']) ? whole['nodeName'] : `unknown, of "${metadata.name}"`;
  const attacher = whole?.['attacher'];
  const anyOfAttacher = isText(attacher) && attacher !== '' ? anyOfDriver(attacher) : [];
  const volumeName = source?.['persistentVolumeName'];
  if (isText(volumeName) && volumeName !== '') {
    return { nodeName, volumeName };
  }
  const inline = messageOf(source?.['inlineVolumeSpec']);
  if (inline !== undefined && (isUnset(volumeName) || volumeName === '')) {
    return isUnset(inline['csi'])
      ? { nodeName }
      : { nodeName, storage: csiStorageOf(inline['csi']) ?? anyOfAttacher };
  }
  return { nodeName, storage: anyOfAttacher };
}
