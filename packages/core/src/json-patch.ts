import type { KubernetesObject } from './resources.ts';

/** One operation of an RFC 6902 patch. */
export type JsonPatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A JSON Patch (RFC 6902): its operations are carried out in order, all of them or none. */
export type JsonPatch = readonly JsonPatchOperation[];

/** Joins the segments to an RFC 6901 pointer: `pointer('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * A patch that applies only to the very object that was read, not to a later one of the same name: the API server
 * answers 422 when a `test` does not hold, which means "look again".
 *
 * The operations must themselves `test` what they replace or remove; {@link testAbsent} tests that nothing is there.
 */
export function guardedPatch(object: KubernetesObject, operations: JsonPatch): JsonPatch {
  return [{ op: 'test', path: '/metadata/uid', value: object.metadata.uid }, ...operations];
}

/**
 * Tests that there is nothing at the path.
 *
 * RFC 6902 has no such test; the API server's library (evanphx/json-patch) lets a missing member equal null, in every
 * release that Holdfast supports.
 */
export function testAbsent(path: string): JsonPatchOperation {
  return { op: 'test', path, value: null };
}
