import type { VolumeAttachment } from '@holdfast/core';

/** Nodes by the volume that is attached to them. */
type NodesByVolume = ReadonlyMap<string, readonly string[]>;

/**
 * Lists all attachments of the cluster, since they can't be selected by volume, once for all callers at the same time.
 *
 * An answer rests on a list that was begun after the question: until then the volume could still be attached. So a caller that comes
 * while a list is under way gets the next one, together with all others that come meanwhile.
 *
 * @param list all attachments, at their newest state.
 * @returns a function that answers with the nodes to which any of the volumes is attached, and throws what `list` throws.
 */
export function createAttachmentList(
  list: () => AsyncIterable<VolumeAttachment>,
): (volumeNames: readonly string[]) => Promise<readonly string[]> {
  let current: Promise<NodesByVolume> | undefined;
  let next: Promise<NodesByVolume> | undefined;

  const begin = (): Promise<NodesByVolume> => {
    const begun = nodesByVolume(list());
    current = begun;
    const end = (): void => {
      if (current === begun) {
        current = undefined;
      }
    };
    begun.then(end, end);
    return begun;
  };
  const ask = (): Promise<NodesByVolume> => {
    if (current === undefined) {
      return begin();
    }
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
  return async (volumeNames) => {
    const nodes = await ask();
    return volumeNames.flatMap((name) => nodes.get(name) ?? []);
  };
}

async function nodesByVolume(attachments: AsyncIterable<VolumeAttachment>): Promise<NodesByVolume> {
  const nodes = new Map<string, string[]>();
  for await (const { spec } of attachments) {
    const volume = spec.source.persistentVolumeName;
    if (volume !== undefined) {
      nodes.set(volume, [...(nodes.get(volume) ?? []), spec.nodeName]);
    }
  }
  return nodes;
}
