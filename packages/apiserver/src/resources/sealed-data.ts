import { type FieldError, invalid } from '../meta/field-error.ts';
import { type Json, jsonEqual } from '../meta/json.ts';
import { isGivenEmpty } from '../schema/decode.ts';

/* Validates the data of config maps and secrets: its size, and that `immutable` data does not change. */

/** The limit for all values of a config map or a secret together, in bytes. */
export const dataLimit = 1024 * 1024;

export function sizeOf(
  values: Readonly<Record<string, string>> | undefined,
  encoding: 'utf8' | 'base64',
): number {
  return Object.values(values ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

const keyPattern = /^[-._a-zA-Z0-9]+$/;
const longestKey = 253;

/** Keys become file names in volumes. */
export function validateKeys(values: object | undefined, field: string): FieldError[] {
  return Object.keys(values ?? {}).flatMap((key) =>
    keyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem)),
  );
}

/** The errors of a key of a config map or a secret (validation.IsConfigMapKey of k8s.io/apimachinery). */
export function keyProblems(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > longestKey) {
    problems.push(`must be no more than ${longestKey} characters`);
  }
  if (!keyPattern.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.' || key === '..') {
    problems.push(`must not be '${key}'`);
  } else if (key.startsWith('..')) {
    problems.push("must not start with '..'");
  }
  return problems;
}

export function forbidImmutable(field: string): {
  field: string;
  reason: 'FieldValueForbidden';
  message: string;
} {
  return {
    field,
    reason: 'FieldValueForbidden',
    message: 'Forbidden: field is immutable when `immutable` is set',
  };
}

/** Stored objects have no empty maps, so sending one is a change, unless stringData has filled it. */
export function validateSealed<Field extends string>(
  object: { readonly [F in Field]?: Json },
  old: Json | undefined,
  field: Field,
): FieldError[] {
  const { [field]: value } = object;
  const isEmpty = value === undefined && isGivenEmpty(object, field);
  const isSame = !isEmpty && jsonEqual(value, old);
  return isSame ? [] : [forbidImmutable(field)];
}
