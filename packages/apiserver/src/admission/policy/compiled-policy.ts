import {
  type AdmissionCompiler,
  type AdmissionResult,
  createAdmissionCompiler,
} from '../../cel/admission-expression.ts';
import { attempt } from '../../cel/attempt.ts';
import type { Expression } from '../../cel/expression.ts';
import type { CelFailure } from '../../cel/function-table.ts';
import type {
  AdmissionPolicy,
  AuditAnnotation,
  PolicyValidation,
} from '../../resources/admission-policy-spec.ts';
import { annotation, condition, message } from '../../resources/cel-field.ts';
import { type CompiledCondition, compileConditions } from '../match-conditions.ts';

/** An expression of a stored policy. One that is wrong, as no stored one should be, fails whenever it is evaluated. */
export type Program = Expression | CelFailure;

export interface CompiledValidation {
  readonly validation: PolicyValidation;
  readonly program: Program;
  /** Of the messageExpression; undefined where there is none. */
  readonly message: Program | undefined;
}

export interface CompiledAnnotation {
  readonly annotation: AuditAnnotation;
  readonly program: Program;
}

export interface CompiledPolicy {
  /** Makes the values for all expressions. */
  readonly compiler: AdmissionCompiler;
  readonly conditions: readonly CompiledCondition[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
}

/** Of stored policies, which never change in place. */
const compiled = new WeakMap<AdmissionPolicy, CompiledPolicy>();

export function compiledPolicy(policy: AdmissionPolicy): CompiledPolicy {
  let result = compiled.get(policy);
  if (result === undefined) {
    compiled.set(policy, (result = compilePolicy(policy)));
  }
  return result;
}

function compilePolicy({ spec }: AdmissionPolicy): CompiledPolicy {
  const { paramKind, variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const compiler = createAdmissionCompiler({
    hasParams: paramKind !== undefined,
    hasVariables: variables.length > 0,
  });
  const compileAs = (text: string, wanted: AdmissionResult): Program =>
    attempt(() => compiler.compile(text, wanted));
  for (const { name, expression } of variables) {
    attempt(() => compiler.define(name, expression));
  }
  return {
    compiler,
    conditions: compileConditions(matchConditions, compiler),
    validations: validations.map((validation) => {
      const { expression, messageExpression = '' } = validation;
      return {
        validation,
        program: compileAs(expression, condition),
        message: messageExpression === '' ? undefined : compileAs(messageExpression, message),
      };
    }),
    annotations: auditAnnotations.map((each) => ({
      annotation: each,
      program: compileAs(each.valueExpression, annotation),
    })),
  };
}
