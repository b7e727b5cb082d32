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
  MutatingPolicy,
  PolicyBasis,
  PolicyValidation,
} from '../../resources/admission-policy-spec.ts';
import { annotation, condition, message, objectResult, patchResult } from '../../resources/cel-field.ts';
import { type CompiledCondition, compileConditions } from '../match-conditions.ts';

/**
 * An expression of a stored policy. An invalid one, which storage should not contain, fails at each
 * evaluation.
 */
export type Program = Expression | CelFailure;

export interface CompiledValidation {
  readonly validation: PolicyValidation;
  readonly program: Program;
  /** The compiled messageExpression; undefined if there is none. */
  readonly message: Program | undefined;
}

export interface CompiledAnnotation {
  readonly annotation: AuditAnnotation;
  readonly program: Program;
}

export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: string;
  readonly program: Program;
}

/** What validating and mutating policies have in common. */
export interface CompiledBasis {
  /** Provides the values of the variables for all expressions. */
  readonly compiler: AdmissionCompiler;
  readonly conditions: readonly CompiledCondition[];
}

export interface CompiledPolicy extends CompiledBasis {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
}

export interface CompiledMutatingPolicy extends CompiledBasis {
  readonly mutations: readonly CompiledMutation[];
}

export const compiledPolicy: (policy: AdmissionPolicy) => CompiledPolicy = remembered(compilePolicy);
export const compiledMutatingPolicy: (policy: MutatingPolicy) => CompiledMutatingPolicy =
  remembered(compileMutatingPolicy);

/** Caches by identity, because stored policies never change in place. */
function remembered<Policy extends object, Compiled>(
  compile: (policy: Policy) => Compiled,
): (policy: Policy) => Compiled {
  const known = new WeakMap<Policy, Compiled>();
  return (policy) => {
    let result = known.get(policy);
    if (result === undefined) {
      known.set(policy, (result = compile(policy)));
    }
    return result;
  };
}

function compileBasis({ paramKind, variables = [], matchConditions = [] }: PolicyBasis): CompiledBasis {
  const compiler = createAdmissionCompiler({
    hasParams: paramKind !== undefined,
    hasVariables: variables.length > 0,
  });
  for (const { name, expression } of variables) {
    attempt(() => compiler.define(name, expression));
  }
  return { compiler, conditions: compileConditions(matchConditions, compiler) };
}

function compileAs({ compiler }: CompiledBasis, text: string, wanted: AdmissionResult): Program {
  return attempt(() => compiler.compile(text, wanted));
}

function compilePolicy({ spec }: AdmissionPolicy): CompiledPolicy {
  const { validations = [], auditAnnotations = [] } = spec;
  const basis = compileBasis(spec);
  return {
    ...basis,
    validations: validations.map((validation) => {
      const { expression, messageExpression = '' } = validation;
      return {
        validation,
        program: compileAs(basis, expression, condition),
        message: messageExpression === '' ? undefined : compileAs(basis, messageExpression, message),
      };
    }),
    annotations: auditAnnotations.map((each) => ({
      annotation: each,
      program: compileAs(basis, each.valueExpression, annotation),
    })),
  };
}

function compileMutatingPolicy({ spec }: MutatingPolicy): CompiledMutatingPolicy {
  const basis = compileBasis(spec);
  return {
    ...basis,
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => {
      const isPatch = patchType === 'JSONPatch';
      const { expression = '' } = (isPatch ? jsonPatch : applyConfiguration) ?? {};
      return {
        patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
        expression,
        program: compileAs(basis, expression, isPatch ? patchResult : objectResult),
      };
    }),
  };
}
