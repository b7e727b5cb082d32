/*
 * What can be read of an object that is not of the shape of its kind, field by field.
 */

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Null is as good as absent, in all that Go writes. */
export function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Undefined: it is no message. */
export function messageOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
