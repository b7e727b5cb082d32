import { type Json, type JsonObject, cloneJson, isObject, withoutFields } from '../meta/json.ts';

/**
 * JSON merge patch (RFC 7386): null removes, objects merge, all else replaces. Gives a new object, sharing what is kept. As the real server's library
 * has it, nulls are left out of objects in a list too, but where the list replaces an object.
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

/** A copy without the fields that are null; an item of a list that is null stays. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  return isObject(value) ? applyMergePatch({}, value) : value;
}
