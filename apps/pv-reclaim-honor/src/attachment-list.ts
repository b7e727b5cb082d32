import type { VolumeAttachment } from '@holdfast/core';

/** Nodes by the volume that is attached to them. */
type NodesByVolume = ReadonlyMap<string, readonly string[]>;

/**
 * Lists all attachments of the cluster, since they can't be selected by volume, once for all who ask at the same time.
 *
 * An answer rests on a list that was begun after the question: until then the volume could still be attached. So who asks while
 * a list is under way gets the next one, together with all others who came meanwhile.
 *
 * @param list pages of all attachments, at their newest state.
 */
export function createAttachmentList(
  list: () => AsyncIterable<readonly VolumeAttachment[]>,
): (volumes: readonly string[]) => Promise<readonly string[]> {
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
  return async (volumes) => {
    const nodes = await ask();
    return volumes.flatMap((volume) => nodes.get(volume) ?? []);
  };
}

async function nodesByVolume(pages: AsyncIterable<readonly VolumeAttachment[]>): Promise<NodesByVolume> {
  const nodes = new Map<string, string[]>();
  for await (const page of pages) {
    for (const { spec } of page) {
      const volume = spec.source.persistentVolumeName;
      if (volume !== undefined) {
        nodes.set(volume, [...(nodes.get(volume) ?? []), spec.nodeName]);
      }
    }
  }
  return nodes;
}
