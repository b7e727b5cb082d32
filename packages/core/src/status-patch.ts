import { guardedPatch, pointer, testAbsent, type JsonPatch, type JsonPatchOperation } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/** An object with a status of whatever type. */
export interface WithStatus extends KubernetesObject {
  readonly status?: object;
}

/**
 * Sets these fields of the status, for the subresource `status`; one that is undefined is taken away, and all others stay.
 *
 * It tests the UID, the generation, so that a status never speaks of another specification than the one that was looked at, and each field that it
 * replaces, whole: such a field must have been read whole.
 *
 * @returns undefined when the status says all of it already.
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

/** Whether two values are the same to an API server: a field that is undefined is none, and the order of fields does not matter. */
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
