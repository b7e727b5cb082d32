import type { KubernetesObject } from './resources.ts';

/** One operation of an RFC 6902 patch. */
export type JsonPatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A JSON Patch (RFC 6902): the API server applies all of its operations in order, or none. */
export type JsonPatch = readonly JsonPatchOperation[];

/**
 * Returns the text of the patch for the request. The API server compares the value of a `test` byte for byte
 * with the object as Go writes it, with `<`, `>`, `&` and two line separators as escapes. `JSON.stringify`
 * does not escape them, so a `test` of a value that contains one would never hold.
 */
export function patchText(patch: JsonPatch): string {
  // In JSON these characters occur only within strings.
  return JSON.stringify(patch).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Joins the segments to an RFC 6901 pointer: `pointer('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * Returns a patch that applies only to the object that was read, not to a later one of the same name. The API
 * server answers 422 if a `test` does not hold, which means "look again".
 *
 * The operations must themselves `test` what they replace or remove; {@link testAbsent} tests that nothing is
 * there.
 */
export function guardedPatch(object: KubernetesObject, operations: JsonPatch): JsonPatch {
  return [{ op: 'test', path: '/metadata/uid', value: object.metadata.uid }, ...operations];
}

/**
 * Returns an operation that tests that there is nothing at the path.
 *
 * RFC 6902 has no such test. The API server's library (evanphx/json-patch) treats a missing member as equal
 * to null, in every release that Holdfast supports.
 */
export function testAbsent(path: string): JsonPatchOperation {
  return { op: 'test', path, value: null };
}
