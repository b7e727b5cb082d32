/** Any value in JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** An object from JSON that may be changed in place. */
export type Mutable = Record<string, unknown>;

/** Undefined if it is not an object. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Go's encoders and decoders treat null like an absent field. */
export function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
