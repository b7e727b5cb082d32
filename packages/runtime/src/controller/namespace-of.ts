import { parseKey } from '@holdfast/core';

/** The namespace of an object's key, empty for one that has none: as `groupOf`, no namespace gets all the workers. */
export function namespaceOf(key: string): string {
  return parseKey(key).namespace ?? '';
}
