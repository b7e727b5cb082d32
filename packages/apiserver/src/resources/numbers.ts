import { type FieldError, invalid } from '../meta/field-error.ts';
import type { Json, JsonObject } from '../meta/json.ts';

/* Validates the bounds of numbers, in the real server's words. */

/**
 * Returns an error for each of the fields that is negative.
 *
 * @param path of the object that has the fields
 */
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

/**
 * Returns an error for each of the fields that exceeds the one that bounds it. Absent fields count as zero.
 */
export function notAbove(
  value: JsonObject,
  path: string,
  fields: readonly string[],
  bound: string,
  problem: string,
): FieldError[] {
  const most = Number(value[bound] ?? 0);
  return fields.flatMap((field) => {
    const number = Number(value[field] ?? 0);
    return number > most ? [invalid(`${path}.${field}`, number, problem)] : [];
  });
}

const percentage = /^[0-9]+%$/;

/** The value of a number or a percentage. A percentage counts as its number, and any other value as zero. */
export function amountOf(value: Json | undefined): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+%?$/.test(value));
  return isNumber ? Number.parseInt(String(value), 10) : 0;
}

/** For a number, or a percentage of at most 100%. */
export function notNegativeOrPercentage(value: Json | undefined, path: string): FieldError[] {
  return [...notNegativeOrAnyPercentage(value, path), ...notAboveAll(value, path)];
}

function notAboveAll(value: Json | undefined, path: string): FieldError[] {
  return typeof value === 'string' && percentage.test(value) && amountOf(value) > 100
    ? [invalid(path, value, 'must not be greater than 100%')]
    : [];
}

/** For a number, or a percentage. */
export function notNegativeOrAnyPercentage(value: Json | undefined, path: string): FieldError[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
  }
  if (typeof value !== 'string') {
    return [];
  }
  return percentage.test(value)
    ? []
    : [
        invalid(
          path,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      ];
}

/** @returns the errors of an IP port */
export function validatePort(port: Json | undefined, path: string): FieldError[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalid(path, port ?? 0, 'must be between 1 and 65535, inclusive')];
}
