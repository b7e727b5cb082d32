import { type Json, type JsonObject, cloneJson, isObject, withoutFields } from '../meta/json.ts';

/**
 * JSON merge patch (RFC 7386): null removes a field, objects are merged, and everything else is replaced.
 * Returns a new object that shares the unchanged parts. Like the real server's library, it also removes nulls
 * from objects within a list, unless the list replaces an object.
 */
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
      result[key] = isObject(existing) ? cloneJson<Json>(value) : withoutNulls(value);
    }
  }
  return result;
}

/** Returns a copy without the fields that are null. An item of a list that is null stays. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  return isObject(value) ? applyMergePatch({}, value) : value;
}
