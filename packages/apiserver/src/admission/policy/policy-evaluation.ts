import type { AdmissionValues, AdmissionVariables } from '../../cel/admission-expression.ts';
import { attempt } from '../../cel/attempt.ts';
import { type EvaluationBudget, OutOfBudget, createBudget } from '../../cel/evaluation-budget.ts';
import { CelFailure } from '../../cel/function-table.ts';
import type { PolicyValidation } from '../../resources/admission-policy-spec.ts';
import { judgeConditions } from '../match-conditions.ts';
import type { CompiledPolicy, CompiledValidation, Program } from './compiled-policy.ts';

/*
 * Evaluates a policy for a request, as k8s.io/apiserver/pkg/admission/plugin/policy/validating/validator.go
 * does.
 */

/** The most that the evaluations for one request may cost. Audit annotations have the same budget again. */
export const budgetOfPolicy = 10_000_000;
const longestMessage = 5120;

/** A violation that a policy found in a request. */
export interface Objection {
  readonly message: string;
  /** The reason for the Status; default Invalid. */
  readonly reason?: string;
  /** Whether it denies the request whatever the validationActions of the binding are. */
  readonly isUnconditional?: boolean;
}

/** Returns the violations in the order of the validations. */
export function evaluatePolicy(
  policy: CompiledPolicy,
  failurePolicy: string | undefined,
  variables: AdmissionVariables,
): readonly Objection[] {
  const failed = (message: string, more: Partial<Objection> = {}): readonly Objection[] =>
    failurePolicy === 'Ignore' ? [] : [{ message, ...more }];
  // On the real server, match conditions cannot read the namespace.
  const withoutNamespace = { ...variables, namespaceObject: null };
  const verdict = judgeConditions(policy.conditions, failurePolicy, policy.compiler, withoutNamespace);
  if (verdict.kind !== 'met') {
    return verdict.kind === 'failed' ? failed(verdict.problem) : [];
  }
  try {
    const budget = createBudget(budgetOfPolicy);
    const values = policy.compiler.valuesOf(variables, budget);
    const objections = policy.validations.flatMap((validation) => judge(validation, values, budget, failed));
    return [...objections, ...annotationFailures(policy, variables, failed)];
  } catch (error) {
    if (error instanceof OutOfBudget) {
      return failed(error.message);
    }
    throw error;
  }
}

type Failed = (message: string, more?: Partial<Objection>) => readonly Objection[];

function judge(
  { validation, program, message }: CompiledValidation,
  values: AdmissionValues,
  budget: EvaluationBudget,
  failed: Failed,
): readonly Objection[] {
  const result = evaluate(program, values, budget);
  if (result instanceof CelFailure) {
    return failed(failureOf(validation.expression, result));
  }
  if (result === true) {
    return [];
  }
  const told = message === undefined ? undefined : evaluate(message, values, budget);
  return [
    { message: usableMessage(told) ?? shownMessage(validation), reason: validation.reason ?? 'Invalid' },
  ];
}

/**
 * Evaluates the audit annotations. Their values are not published, because there is no audit log, but an
 * annotation that cannot be evaluated is a failure all the same.
 */
function annotationFailures(
  { annotations, compiler }: CompiledPolicy,
  variables: AdmissionVariables,
  failed: Failed,
): readonly Objection[] {
  const budget = createBudget(budgetOfPolicy);
  const values = compiler.valuesOf(variables, budget);
  return annotations.flatMap(({ annotation: { valueExpression }, program }) => {
    const result = evaluate(program, values, budget);
    return result instanceof CelFailure
      ? failed(failureOf(valueExpression, result), { isUnconditional: true })
      : [];
  });
}

/** Returns the result of a program, or the CelFailure why it has none. Throws OutOfBudget. */
export function evaluate(program: Program, values: AdmissionValues, budget: EvaluationBudget): unknown {
  return program instanceof CelFailure
    ? program
    : attempt(() => budget.run(() => program.evaluate(values, budget)));
}

export function failureOf(expression: string, { message }: CelFailure): string {
  return `expression '${expression}' resulted in error: ${message}`;
}

/** Ignores a messageExpression that fails, or that returns an empty text, several lines or too many bytes. */
function usableMessage(result: unknown): string | undefined {
  const text = typeof result === 'string' ? result.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > longestMessage ? undefined : text;
}

function shownMessage({ message = '', expression }: PolicyValidation): string {
  return message === '' ? `failed expression: ${expression.trim()}` : message.trim();
}
