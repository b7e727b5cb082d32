import { isDeepStrictEqual } from 'node:util';
import type { JsonPatch } from '@holdfast/core';

/**
 * Applies an RFC 6902 patch with the operations that controllers send. A missing value equals null, as in the
 * API server's library.
 *
 * @returns a new document; undefined if a `test` fails or a path does not exist
 */
export function applyPatch<T>(document: T, patch: JsonPatch): T | undefined {
  const copy = structuredClone(document);
  for (const operation of patch) {
    const names = operation.path
      .split('/')
      .slice(1)
      .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() ?? '';
    const parent = names.reduce<unknown>(member, copy);
    if (typeof parent !== 'object' || parent === null) {
      return undefined;
    }
    const present = member(parent, last);
    if (operation.op === 'test') {
      if (!isDeepStrictEqual(present ?? null, operation.value ?? null)) {
        return undefined;
      }
    } else if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : Number(last);
      const isReplaced = operation.op === 'add' ? 0 : 1;
      parent.splice(index, isReplaced, ...(operation.op === 'remove' ? [] : [operation.value]));
    } else if (operation.op === 'remove') {
      if (present === undefined) {
        return undefined;
      }
      Reflect.deleteProperty(parent, last);
    } else {
      (parent as Record<string, unknown>)[last] = operation.value;
    }
  }
  return copy;
}

function member(container: unknown, name: string): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, name)
    ? (container as Record<string, unknown>)[name]
    : undefined;
}
