import { type Json, type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import { pathsOf, setOf } from './field-set.ts';
import type { Conflict } from './managers.ts';
import { typeProblems } from './typed-value.ts';
import { typeOfDefinition } from './value-type.ts';

/* Client-side apply keeps what it applied in an annotation. */

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops conflicts of a client that moves from client-side to server-side apply, which would conflict with
 * itself: those about fields that the last-applied annotation sets to the value that the live object has. An
 * annotation that is no object of the kind and version drops none.
 */
export function withoutLastApplied(
  conflicts: readonly Conflict[],
  live: KubeObject,
  definition: ResourceDefinition,
): Conflict[] {
  const before = lastAppliedTo(live, definition);
  if (before === undefined) {
    return [...conflicts];
  }
  const isOwn = (path: readonly string[]): boolean => {
    const applied = valueAt(before, path);
    return applied !== undefined && jsonEqual(applied, valueAt(live, path));
  };
  return conflicts.flatMap(({ owner, fields }) => {
    const left = pathsOf(fields).filter((path) => !isOwn(path));
    return left.length === 0 ? [] : [{ owner, fields: setOf(left) }];
  });
}

function lastAppliedTo(live: KubeObject, definition: ResourceDefinition): Json | undefined {
  let applied: Json;
  try {
    applied = JSON.parse(live.metadata.annotations?.[lastApplied] ?? '') as Json;
  } catch {
    return undefined;
  }
  return isObject(applied) &&
    applied['apiVersion'] === apiVersionOf(definition) &&
    applied['kind'] === definition.kind &&
    typeProblems(applied, typeOfDefinition(definition)).length === 0
    ? applied
    : undefined;
}

function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const step of path) {
    const content = step.slice(2);
    if (step.startsWith('f:')) {
      value = isObject(value) ? value[content] : undefined;
    } else if (Array.isArray(value)) {
      const key = JSON.parse(content) as Json;
      value = value.find((item) =>
        isObject(key) && isObject(item)
          ? Object.entries(key).every(([name, wanted]) => jsonEqual(item[name], wanted))
          : jsonEqual(item, key),
      );
    } else {
      value = undefined;
    }
  }
  return value;
}

/** Updates kubectl's last-applied annotation if there is one, so that client-side apply keeps working. */
export function syncLastApplied(object: KubeObject, config: JsonObject): void {
  const { annotations } = object.metadata;
  if (annotations?.[lastApplied] === undefined) {
    return;
  }
  object.metadata.annotations = { ...annotations, [lastApplied]: `${JSON.stringify(sorted(config))}\n` };
}

/** Sorts keys as Go does when it writes a map. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}
