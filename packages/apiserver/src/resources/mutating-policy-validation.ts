import type { AdmissionCompiler } from '../cel/admission-expression.ts';
import { append } from '../meta/append.ts';
import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts';
import type { MutatingPolicySpec, Mutation } from './admission-policy-spec.ts';
import { compileErrors, objectResult, patchResult } from './cel-field.ts';
import type { MatchResources } from './match-resources.ts';
import { validateBasis } from './policy-basis-validation.ts';

/* Validates MutatingAdmissionPolicies, as pkg/apis/admissionregistration/validation/validation.go does. */

/** DELETE is missing, because a deletion has no object to change. */
const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const patchTypes = ['ApplyConfiguration', 'JSONPatch'];
const reinvocationPolicies = ['IfNeeded', 'Never'];

export function validateMutatingSpec(spec: MutatingPolicySpec, path: string): FieldError[] {
  const { mutations = [], reinvocationPolicy = '' } = spec;
  const { errors, compiler } = validateBasis(spec, path, {
    hasVariables: true,
    matchErrors: (match) => validateMutableOperations(match, `${path}.matchConstraints`),
  });
  if (mutations.length === 0) {
    errors.push(required(`${path}.mutations`, 'mutations must contain at least one item'));
  }
  for (const [index, mutation] of mutations.entries()) {
    append(errors, validateMutation(mutation, compiler, `${path}.mutations[${index}]`));
  }
  if (reinvocationPolicy === '') {
    errors.push(required(`${path}.reinvocationPolicy`));
  } else if (!reinvocationPolicies.includes(reinvocationPolicy)) {
    errors.push(notSupported(`${path}.reinvocationPolicy`, reinvocationPolicy, reinvocationPolicies));
  }
  return errors;
}

/** Validates the operations of a policy or a binding. */
export function validateMutableOperations(
  { resourceRules = [] }: MatchResources,
  path: string,
): FieldError[] {
  return resourceRules
    .flatMap((rule) => rule.operations ?? [])
    .filter((operation) => !operations.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, operations));
}

function validateMutation(mutation: Mutation, compiler: AdmissionCompiler, path: string): FieldError[] {
  const { patchType = '', applyConfiguration, jsonPatch } = mutation;
  switch (patchType) {
    case '':
      return [required(`${path}.patchType`)];
    case 'JSONPatch':
      return [
        ...validateExpression('jsonPatch', mutation, compiler, path),
        ...(applyConfiguration === undefined ? [] : [superfluous('applyConfiguration', patchType, path)]),
      ];
    case 'ApplyConfiguration':
      return [
        ...validateExpression('applyConfiguration', mutation, compiler, path),
        ...(jsonPatch === undefined ? [] : [superfluous('jsonPatch', patchType, path)]),
      ];
    default:
      return [notSupported(`${path}.patchType`, patchType, patchTypes)];
  }
}

type ExpressionField = 'applyConfiguration' | 'jsonPatch';

function superfluous(field: ExpressionField, patchType: string, path: string): FieldError {
  return invalid(`${path}.${field}`, `{${field}}`, `must not be specified when patchType is ${patchType}`);
}

function validateExpression(
  field: ExpressionField,
  mutation: Mutation,
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const { patchType = '', [field]: given } = mutation;
  if (given === undefined) {
    return [required(`${path}.${field}`, `must be specified when patchType is ${patchType}`)];
  }
  const at = `${path}.${field}.expression`;
  const text = (given.expression ?? '').trim();
  const wanted = field === 'jsonPatch' ? patchResult : objectResult;
  return text === '' ? [required(at)] : compileErrors(() => compiler.compile(text, wanted), text, at);
}
