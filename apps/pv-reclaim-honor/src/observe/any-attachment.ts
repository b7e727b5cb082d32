import { volumeAttachments, type VolumeAttachment } from '@holdfast/core';
import { listAll, type ApiClient, type UnreadableObject } from '@holdfast/runtime';
import { slimVolumeAttachment } from '../slim.ts';

/**
 * All attachments, at their newest state. One that can't be read is asked for in JSON, by a list of that name alone, since `get` needs a permission
 * of its own; it is yielded as it comes, in whatever shape. Where that fails too, or it has no name, nothing of it is known.
 *
 * @throws what the client throws.
 */
export async function* listAnyAttachments(
  client: Pick<ApiClient, 'list' | 'listPages'>,
): AsyncGenerator<VolumeAttachment, void, void> {
  const problems: UnreadableObject[] = [];
  yield* listAll(client, volumeAttachments, {
    projection: slimVolumeAttachment,
    onUnreadable: (problem) => problems.push(problem),
  });
  for (const { key } of problems) {
    if (key === undefined) {
      yield opaque('');
      continue;
    }
    let isOpaque = false as boolean;
    const { items } = await client.list(volumeAttachments, {
      fieldSelector: `metadata.name=${key}`,
      onUnreadable: () => {
        isOpaque = true;
      },
    });
    yield* items;
    if (isOpaque) {
      yield opaque(key);
    }
  }
}

function opaque(name: string): VolumeAttachment {
  return { metadata: { name, uid: '', resourceVersion: '' }, spec: undefined } as unknown as VolumeAttachment;
}
