import { createHash } from 'node:crypto';
import { pointer, testAbsent, type ConfigMap, type JsonPatch } from '@holdfast/core';

export const label = 'checksum.example.com/wanted';
export const annotation = 'checksum.example.com/sha256';

/** Returns the SHA-256 of the data, regardless of the order of its keys. */
export function checksumOf({ data = {}, binaryData = {} }: Pick<ConfigMap, 'data' | 'binaryData'>): string {
  const entries = Object.entries({ ...data, ...binaryData }).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

/**
 * Returns the operations that put the checksum on the ConfigMap, or undefined if it is already there. The API
 * server refuses them with 422 if the data, or the checksum, is no longer what was read.
 */
export function checksumPatch(map: ConfigMap): JsonPatch | undefined {
  const { annotations } = map.metadata;
  const checksum = checksumOf(map);
  const old = annotations?.[annotation];
  if (old === checksum) {
    return undefined;
  }
  return [
    map.data === undefined ? testAbsent('/data') : { op: 'test', path: '/data', value: map.data },
    ...(annotations === undefined ? addFirst(checksum) : replace(old, checksum)),
  ];
}

function addFirst(checksum: string): JsonPatch {
  const path = '/metadata/annotations';
  return [testAbsent(path), { op: 'add', path, value: { [annotation]: checksum } }];
}

function replace(old: string | undefined, checksum: string): JsonPatch {
  const path = pointer('metadata', 'annotations', annotation);
  return [
    old === undefined ? testAbsent(path) : { op: 'test', path, value: old },
    { op: 'add', path, value: checksum },
  ];
}
