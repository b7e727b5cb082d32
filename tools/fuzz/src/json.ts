/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** What was parsed from JSON, to be changed in place. */
export type Mutable = Record<string, unknown>;

/** Undefined: it is no object. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Null is as good as absent, in all that Go writes. */
export function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
