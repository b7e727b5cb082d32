import { type Json, type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { pathsOf } from './field-set.ts';
import type { Conflict } from './managers.ts';

/* Client-side apply keeps what it applied in an annotation. */

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops conflicts of a client that moves from client-side to server-side apply, which would conflict with
 * itself: those about fields that the last-applied annotation sets to the value that the live object has.
 */
export function withoutLastApplied(conflicts: readonly Conflict[], live: KubeObject): Conflict[] {
  const text = live.metadata.annotations?.[lastApplied];
  if (text === undefined) {
    return [...conflicts];
  }
  const before = JSON.parse(text) as Json;
  return conflicts.filter(({ fields }) =>
    pathsOf(fields).some((path) => {
      const wanted = valueAt(before, path);
      return wanted === undefined || !jsonEqual(wanted, valueAt(live, path));
    }),
  );
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
