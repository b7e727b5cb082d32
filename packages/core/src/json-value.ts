/** What JSON can hold. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [field: string]: JsonValue };

/** Returns whether JSON can hold the value: no undefined, Date, NaN, infinity or instance of a class. */
export function isJson(value: unknown): value is JsonValue {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return (
        value === null ||
        (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [NaN]).every(isJson)
      );
    default:
      return false;
  }
}

/** Returns whether two values are the same JSON, regardless of the order of fields. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (isRecord(a) && isRecord(b)) {
    const fields = Object.keys(a);
    return (
      fields.length === Object.keys(b).length &&
      fields.every((field) => Object.hasOwn(b, field) && isSameJson(a[field], b[field]))
    );
  }
  return a === b;
}

/** Returns whether the value is a plain object, as JSON.parse makes them, and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
