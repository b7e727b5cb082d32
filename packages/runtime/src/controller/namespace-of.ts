import { parseKey } from '@holdfast/core';

/**
 * Returns the namespace of an object's key, empty if it has none. Use it as `groupOf`, so that no namespace
 * gets all of the workers.
 */
export function namespaceOf(key: string): string {
  return parseKey(key).namespace ?? '';
}
