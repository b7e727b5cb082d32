import type { Json } from '../meta/json.ts';
import type { FieldSet } from './field-set.ts';
import type { ValueType } from './value-type.ts';

/*
 * Owners know an object in the version in which they wrote it. Mostly its fields are the same in every version; where they are not, an object is converted
 * to compare it there, which may mean that somebody has to be asked: what needs that is a generator, which gives what is to be converted and gets it back.
 */

/** What a version has, and a write in it can't change. */
export interface VersionedType {
  readonly type: ValueType;
  /** Branches that the resource, or its subresource, takes back from what is sent. */
  readonly ignored: FieldSet;
}

/** The type of the objects that are given, and those of their other versions. */
export interface Versions extends VersionedType {
  readonly apiVersion: string;
  /** Undefined for a version that has the same fields as the given objects. */
  other(apiVersion: string): VersionedType | undefined;
}

export interface ConversionStep {
  readonly value: Json;
  readonly apiVersion: string;
}

/** Goes on with each value in the version asked for. */
export type Converting<T> = Generator<ConversionStep, T, Json>;

/** The result where no other version has other fields. */
export function withoutConversions<T>(steps: Converting<T>): T {
  const step = steps.next();
  if (step.done !== true) {
    throw new Error(`an object is to be converted to ${step.value.apiVersion}, for which nobody is asked`);
  }
  return step.value;
}

/** The result, as `convert` converts. Rejects as that does. */
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
