import { type Json, type JsonObject, cloneJson, isObject, withoutFields } from '../meta/json.ts';

/** JSON merge patch (RFC 7386): null removes, objects merge, all else replaces. Gives a new object, sharing what is kept. */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const removed = Object.keys(patch).filter((key) => patch[key] === null);
  const result = withoutFields(target, removed);
  for (const key in patch) {
    const value = patch[key];
    if (value === undefined || value === null) {
      continue;
    }
    const existing = result[key];
    if (isObject(value)) {
      result[key] = applyMergePatch(isObject(existing) ? existing : {}, value);
    } else {
      result[key] = cloneJson<Json>(value);
    }
  }
  return result;
}
