import type { Json } from '../meta/json.ts';
import type { FieldSet } from './field-set.ts';
import type { ValueType } from './value-type.ts';

/*
 * Owners refer to fields in the version in which they wrote. Usually all versions have the same fields. If
 * they differ, the object must be converted to the owner's version before it is compared, and the conversion
 * may need a webhook. Functions that may need conversions are therefore generators: they yield a value and
 * continue with the converted one.
 */

/** The type of a version, and the fields that a write in it cannot change. */
export interface VersionedType {
  readonly type: ValueType;
  /** The branches that a write of the resource, or of its subresource, does not change. */
  readonly ignored: FieldSet;
}

/** The type of the given objects, and the types of their other versions. */
export interface Versions extends VersionedType {
  readonly apiVersion: string;
  /** Undefined for a version with the same fields as the given objects. */
  other(apiVersion: string): VersionedType | undefined;
}

export interface ConversionStep {
  readonly value: Json;
  readonly apiVersion: string;
}

/** Yields values to convert, and continues with each converted value. */
export type Converting<T> = Generator<ConversionStep, T, Json>;

/** Runs steps that need no conversion, because all versions have the same fields. */
export function withoutConversions<T>(steps: Converting<T>): T {
  const step = steps.next();
  if (step.done !== true) {
    throw new Error(`an object is to be converted to ${step.value.apiVersion}, for which nobody is asked`);
  }
  return step.value;
}

/** Runs steps with conversions by `convert`. Rejects if `convert` does. */
export async function withConversions<T>(
  steps: Converting<T>,
  convert: (step: ConversionStep) => Promise<Json>,
): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next(await convert(step.value));
  }
  return step.value;
}
