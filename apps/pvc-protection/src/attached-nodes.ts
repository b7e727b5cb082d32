import type { VolumeAttachment } from '@holdfast/core';
import { anyNode } from './decide.ts';

/** Returns the nodes to which a volume is attached, by the name of the volume. */
export type AttachedNodes = (volume: string) => ReadonlySet<string>;

/**
 * Evaluates attachments in whatever shape they come:
 *
 * | node      | source                                    | might attach                |
 * |-----------|-------------------------------------------|-----------------------------|
 * | named     | names a PersistentVolume                  | that volume, to that node   |
 * | -         | has the volume that a pod names by itself | nothing that a claim has    |
 * | named     | cannot be read                            | any volume, to that node    |
 * | not named | names a PersistentVolume                  | that volume, to any node    |
 * | not named | cannot be read                            | any volume, to any node     |
 *
 * @throws what the attachments throw.
 */
export async function attachedNodes(attachments: AsyncIterable<VolumeAttachment>): Promise<AttachedNodes> {
  const byVolume = new Map<string, Set<string>>();
  const ofAny = new Set<string>();
  for await (const attachment of attachments) {
    const spec = messageOf(attachment.spec);
    const source = messageOf(spec?.['source']);
    const node = nameIn(spec?.['nodeName']) ?? anyNode;
    const volume = source?.['persistentVolumeName'];
    const name = nameIn(volume);
    if (name !== undefined) {
      byVolume.set(name, (byVolume.get(name) ?? new Set()).add(node));
    } else if (!isUnset(volume) || messageOf(source?.['inlineVolumeSpec']) === undefined) {
      ofAny.add(node);
    }
  }
  return (volume) => new Set([...(byVolume.get(volume) ?? []), ...ofAny]);
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Null counts as absent in everything that Go writes. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Undefined if it is not a message. */
function messageOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
