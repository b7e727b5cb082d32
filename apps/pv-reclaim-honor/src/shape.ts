/* Reads the valid parts of an object that lacks the shape of its kind, field by field. */

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Null counts as absent in everything that Go writes. */
export function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Undefined if it is not a message. */
export function messageOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
