import { attempt } from '../cel/attempt.ts';
import type { AdmissionResult } from '../cel/admission-expression.ts';
import { InstantiationFailure } from '../cel/expression.ts';
import { CelFailure } from '../cel/function-table.ts';
import { type FieldError, internalFieldError, invalid } from '../meta/field-error.ts';

/* Fields with CEL expressions in admission policies and webhooks. */

const otherwise = (wanted: string) => (type: string) => `must evaluate to ${wanted} but got ${type}`;

/** The results that the expressions of each kind of field must have. */
export const condition: AdmissionResult = { types: ['bool'], otherwise: otherwise('bool') };
export const message: AdmissionResult = {
  types: ['string'],
  otherwise: otherwise('string'),
  mayAuthorize: false,
};
export const annotation: AdmissionResult = {
  types: ['string', 'null'],
  otherwise: otherwise('one of [string null_type]'),
};
/** The result of an applyConfiguration, which is applied to the object of a request. */
export const objectResult: AdmissionResult = {
  types: ['Object'],
  otherwise: otherwise('Object'),
  mayConstruct: true,
};
/** The result of a jsonPatch, which patches the object of a request. */
export const patchResult: AdmissionResult = {
  types: ['list<JSONPatch>'],
  otherwise: otherwise('list(JSONPatch)'),
  mayConstruct: true,
};

/** Compiles an expression. Returns the compiler's errors, for the field of the expression. */
export function compileErrors(act: () => unknown, expression: string, path: string): FieldError[] {
  const failure = attempt(act);
  if (!(failure instanceof CelFailure)) {
    return [];
  }
  if (failure instanceof InstantiationFailure) {
    return [internalFieldError(path, `program instantiation failed: ${failure.message}`)];
  }
  const head = failure.message.startsWith('ERROR: ') ? 'compilation failed: ' : '';
  return [invalid(path, expression, `${head}${failure.message}`)];
}
