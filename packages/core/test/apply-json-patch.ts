import { isDeepStrictEqual } from 'node:util';
import type { JsonPatch, JsonPatchOperation } from '@holdfast/core';

type Container = Record<string, unknown> | unknown[];

/** A `test` that does not hold, or a path that is not there: the API server answers 422. */
export class PatchRefused extends Error {}

/**
 * RFC 6902 for the four operations that core makes, with the one liberty of the API server's library: what is missing
 * equals null. Answers with a new document.
 */
export function applyJsonPatch<T>(document: T, patch: JsonPatch): T {
  const copy = JSON.parse(JSON.stringify(document)) as T;
  for (const operation of patch) {
    apply(copy as Container, operation);
  }
  return copy;
}

function apply(document: Container, operation: JsonPatchOperation): void {
  const segments = operation.path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = segments.pop() ?? '';
  const parent = segments.reduce<unknown>(member, document);
  if (typeof parent !== 'object' || parent === null) {
    throw new PatchRefused(`nothing at the parent of ${operation.path}`);
  }
  const present = member(parent, last) !== undefined;
  switch (operation.op) {
    case 'test':
      if (!isDeepStrictEqual(member(parent, last) ?? null, operation.value)) {
        throw new PatchRefused(`test of ${operation.path} does not hold`);
      }
      break;
    case 'add':
      if (Array.isArray(parent)) {
        parent.splice(last === '-' ? parent.length : Number(last), 0, operation.value);
      } else {
        (parent as Record<string, unknown>)[last] = operation.value;
      }
      break;
    case 'replace':
    case 'remove':
      if (!present) {
        throw new PatchRefused(`nothing at ${operation.path}`);
      }
      if (Array.isArray(parent)) {
        parent.splice(Number(last), 1, ...(operation.op === 'replace' ? [operation.value] : []));
      } else if (operation.op === 'replace') {
        (parent as Record<string, unknown>)[last] = operation.value;
      } else {
        Reflect.deleteProperty(parent, last);
      }
      break;
  }
}

function member(container: unknown, segment: string): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, segment)
    ? (container as Record<string, unknown>)[segment]
    : undefined;
}
