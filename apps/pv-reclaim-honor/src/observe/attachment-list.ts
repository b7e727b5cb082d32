import type { VolumeAttachment } from '@holdfast/core';
import { askedTogether } from '../asked-together.ts';

/** Nodes by the volume that is attached to them. */
type NodesByVolume = ReadonlyMap<string, readonly string[]>;

/**
 * Lists all attachments of the cluster, since they can't be selected by volume, once for all callers at the same time, and always after
 * the question: until then the volume could still be attached.
 *
 * @param list all attachments, at their newest state.
 * @returns a function that answers with the nodes to which any of the volumes is attached, and throws what `list` throws.
 */
export function createAttachmentList(
  list: () => AsyncIterable<VolumeAttachment>,
): (volumeNames: readonly string[]) => Promise<readonly string[]> {
  const ask = askedTogether(() => nodesByVolume(list()));
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
