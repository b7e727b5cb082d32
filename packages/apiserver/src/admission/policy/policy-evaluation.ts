import type { AdmissionValues, AdmissionVariables } from '../../cel/admission-expression.ts';
import { attempt } from '../../cel/attempt.ts';
import { type EvaluationBudget, OutOfBudget, createBudget } from '../../cel/evaluation-budget.ts';
import { CelFailure } from '../../cel/function-table.ts';
import type { PolicyValidation } from '../../resources/admission-policy-spec.ts';
import { judgeConditions } from '../match-conditions.ts';
import type { CompiledPolicy, CompiledValidation, Program } from './compiled-policy.ts';

/* What a policy says of a request, as k8s.io/apiserver/pkg/admission/plugin/policy/validating/validator.go has it. */

/** What evaluations for one request can cost, and those of the audit annotations once more. */
export const budgetOfPolicy = 10_000_000;
const longestMessage = 5120;

/** A reason not to let a request pass. */
export interface Objection {
  readonly message: string;
  /** Of a Status; default Invalid. */
  readonly reason?: string;
  /** Whether it denies, whatever the binding makes of objections. */
  readonly isUnconditional?: boolean;
}

/** The objections, in the order of the validations. */
export function evaluatePolicy(
  policy: CompiledPolicy,
  failurePolicy: string | undefined,
  variables: AdmissionVariables,
): readonly Objection[] {
  const failed = (message: string, more: Partial<Objection> = {}): readonly Objection[] =>
    failurePolicy === 'Ignore' ? [] : [{ message, ...more }];
  // The namespace is not shown to conditions.
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

/** Annotations are published nowhere, as there is no audit log; one whose value can't be told is a failure all the same. */
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

/** The value, or why there is none. Throws OutOfBudget. */
export function evaluate(program: Program, values: AdmissionValues, budget: EvaluationBudget): unknown {
  return program instanceof CelFailure
    ? program
    : attempt(() => budget.run(() => program.evaluate(values, budget)));
}

export function failureOf(expression: string, { message }: CelFailure): string {
  return `expression '${expression}' resulted in error: ${message}`;
}

/** One that fails, or gives none or several lines, is not used. */
function usableMessage(result: unknown): string | undefined {
  const text = typeof result === 'string' ? result.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > longestMessage ? undefined : text;
}

function shownMessage({ message = '', expression }: PolicyValidation): string {
  return message === '' ? `failed expression: ${expression.trim()}` : message.trim();
}
