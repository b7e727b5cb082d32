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

/** A finding for each of the fields that is above the one that bounds it; absent ones are zero. */
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

/** What a number that may be a percentage counts as: percentages as their number, and what is neither as zero. */
export function amountOf(value: Json | undefined): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+%?$/.test(value));
  return isNumber ? Number.parseInt(String(value), 10) : 0;
}

/** Of a number that may be a percentage of at most 100% as well. */
export function notNegativeOrPercentage(value: Json | undefined, path: string): FieldError[] {
  return [...notNegativeOrAnyPercentage(value, path), ...notAboveAll(value, path)];
}

function notAboveAll(value: Json | undefined, path: string): FieldError[] {
  return typeof value === 'string' && percentage.test(value) && amountOf(value) > 100
    ? [invalid(path, value, 'must not be greater than 100%')]
    : [];
}

/** Of a number that may be a percentage as well. */
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

/** @returns what is wrong with a port of IP. */
export function validatePort(port: Json | undefined, path: string): FieldError[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalid(path, port ?? 0, 'must be between 1 and 65535, inclusive')];
}
