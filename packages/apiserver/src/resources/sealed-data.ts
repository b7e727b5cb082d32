import type { FieldError } from '../meta/field-error.ts';
import { type Json, jsonEqual } from '../meta/json.ts';
import { isGivenEmpty } from '../schema/decode.ts';

/* The data of config maps and secrets: how much there may be, and what `immutable` seals. */

/** Of the values of a config map or a secret together, in bytes. */
export const dataLimit = 1024 * 1024;

export function sizeOf(
  values: Readonly<Record<string, string>> | undefined,
  encoding: 'utf8' | 'base64',
): number {
  return Object.values(values ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
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

/** What is stored has no empty maps, so that giving one is a change, unless stringData has filled it. */
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
