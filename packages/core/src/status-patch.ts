import { guardedPatch, pointer, testAbsent, type JsonPatch, type JsonPatchOperation } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/** An object with a status of any type. */
export interface WithStatus extends KubernetesObject {
  readonly status?: object;
}

/**
 * Returns a patch for the subresource `status` that sets these fields. A field given as undefined is removed;
 * all other fields stay.
 *
 * The patch tests the UID, the generation, and the whole value of each field that it replaces. The
 * generation, so that a status never describes another spec than the one that was looked at. Each replaced
 * field must have been read whole.
 *
 * @returns undefined if the status already says all of this.
 */
export function statusPatch(object: WithStatus, fields: object): JsonPatch | undefined {
  const { metadata, status } = object;
  const given = Object.entries<unknown>({ ...fields });
  const before = new Map<string, unknown>(Object.entries(status ?? {}));
  const changed = given.filter(([name, value]) => !saysTheSame(before.get(name), value));
  if (changed.length === 0) {
    return undefined;
  }
  const { generation } = metadata;
  return guardedPatch(object, [
    ...(generation === undefined
      ? []
      : [{ op: 'test', path: pointer('metadata', 'generation'), value: generation } as const]),
    ...(status === undefined
      ? firstStatus(changed)
      : changed.flatMap(([name, value]) => fieldChange(name, before.get(name), value))),
  ]);
}

function firstStatus(fields: readonly (readonly [string, unknown])[]): JsonPatch {
  const path = pointer('status');
  return [testAbsent(path), { op: 'add', path, value: Object.fromEntries(fields) }];
}

function fieldChange(name: string, before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const path = pointer('status', name);
  const test = before === undefined ? testAbsent(path) : ({ op: 'test', path, value: before } as const);
  return [test, after === undefined ? { op: 'remove', path } : { op: 'add', path, value: after }];
}

/**
 * Returns whether two values are the same to an API server: an undefined field counts as missing, and the
 * order of fields does not matter.
 */
function saysTheSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return a === b;
  }
  if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && a.length !== (b as unknown[]).length)) {
    return false;
  }
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  return [...left.keys(), ...right.keys()].every((name) => saysTheSame(left.get(name), right.get(name)));
}
