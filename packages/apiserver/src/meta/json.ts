/** JSON as it is sent. Objects that are stored or sent are never changed in place; only new copies are. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [field: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Compares as Go's reflect.DeepEqual does for decoded JSON: an absent field equals undefined, and the order
 * of fields does not matter.
 */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (Array.isArray(b)) {
    return false;
  }
  for (const key in a) {
    if (!jsonEqual(a[key], b[key])) {
      return false;
    }
  }
  for (const key in b) {
    if (b[key] !== undefined && a[key] === undefined) {
      return false;
    }
  }
  return true;
}

/** A copy that shares nothing with the original. */
export function cloneJson<T extends Json | undefined>(value: T): T;
export function cloneJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => cloneJson(item));
  }
  const copy: JsonObject = {};
  for (const key in value) {
    copy[key] = cloneJson(value[key]);
  }
  return copy;
}

/** A shallow copy without some of the fields. */
export function withoutFields(object: JsonObject, fields: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const field in object) {
    if (!fields.includes(field)) {
      copy[field] = object[field];
    }
  }
  return copy;
}
