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
 *
 * @throws Error for a value that is undefined. JSON leaves it out, and the API server takes that for null: an
 *   `add` would clear what is at the path.
 */
export function patchText(patch: JsonPatch): string {
  const empty = patch.find((operation) => operation.op !== 'remove' && operation.value === undefined);
  if (empty !== undefined) {
    throw new Error(
      `the operation "${empty.op}" of ${empty.path} has no value; null means that nothing is there`,
    );
  }
  // In JSON these characters occur only within strings.
  return JSON.stringify(patch).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Joins the segments to an RFC 6901 pointer: `pointer('metadata', 'annotations', 'a/b')` is
 * `/metadata/annotations/a~1b`.
 */
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
 *
 * @throws Error for an object without UID, such as one that is yet to be created.
 */
export function guardedPatch(object: KubernetesObject, operations: JsonPatch): JsonPatch {
  const { uid } = object.metadata as { readonly uid?: string };
  if (uid === undefined || uid === '') {
    throw new Error(
      'there is no guard for an object without metadata.uid; give an object that the API server has stored',
    );
  }
  return [{ op: 'test', path: '/metadata/uid', value: uid }, ...operations];
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
