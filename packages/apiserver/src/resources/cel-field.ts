import { attempt } from '../cel/attempt.ts';
import type { AdmissionResult } from '../cel/admission-expression.ts';
import { InstantiationFailure } from '../cel/expression.ts';
import { CelFailure } from '../cel/function-table.ts';
import { type FieldError, internalFieldError, invalid } from '../meta/field-error.ts';

/* Fields with expressions in CEL, as admission policies and webhooks have them. */

const otherwise = (wanted: string) => (type: string) => `must evaluate to ${wanted} but got ${type}`;

/** What the expressions of one kind of field come to. */
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
/** What is applied to the object of a request. */
export const objectResult: AdmissionResult = {
  types: ['Object'],
  otherwise: otherwise('Object'),
  mayConstruct: true,
};
/** What it is patched by. */
export const patchResult: AdmissionResult = {
  types: ['list<JSONPatch>'],
  otherwise: otherwise('list(JSONPatch)'),
  mayConstruct: true,
};

/** What the compiler says of an expression, for the field where it stands. */
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
