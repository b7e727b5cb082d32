import { type FieldError, invalid } from '../meta/field-error.ts';
import type { Json, JsonObject } from '../meta/json.ts';

/* Bounds of numbers, in upstream's words. */

/** A finding for each of the fields that is a number below zero. @param path of what has the fields. */
export function notNegative(
  value: JsonObject | undefined,
  path: string,
  fields: readonly string[],
): FieldError[] {
  return fields.flatMap((field) => {
    const number = value?.[field];
    return typeof number === 'number' && number < 0
      ? [invalid(`${path}.${field}`, number, 'must be greater than or equal to 0')]
      : [];
  });
}

/** Of a number that may be a percentage as well. */
export function notNegativeOrPercentage(value: Json | undefined, path: string): FieldError[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
  }
  if (typeof value !== 'string') {
    return [];
  }
  if (!/^[0-9]+%$/.test(value)) {
    return [
      invalid(
        path,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  }
  return Number(value.slice(0, -1)) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** @returns what is wrong with a port of IP. */
export function validatePort(port: Json | undefined, path: string): FieldError[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalid(path, port ?? 0, 'must be between 1 and 65535, inclusive')];
}
