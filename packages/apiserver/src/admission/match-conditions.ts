import {
  type AdmissionCompiler,
  type AdmissionVariables,
  createAdmissionCompiler,
} from '../cel/admission-expression.ts';
import { attempt } from '../cel/attempt.ts';
import { OutOfBudget, createBudget } from '../cel/evaluation-budget.ts';
import type { Expression } from '../cel/expression.ts';
import { CelFailure } from '../cel/function-table.ts';
import { forbidden } from '../meta/status-error.ts';
import { condition } from '../resources/cel-field.ts';
import type { MatchCondition } from '../resources/match-condition.ts';
import type { Webhook } from '../resources/webhook-configuration.ts';
import type { AdmissionRequest } from './admission.ts';

/*
 * Decides by their match conditions whether a webhook or a policy applies to a request, as
 * k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions does:
 *
 * | one is false | one fails | failurePolicy | the webhook or policy    |
 * | ------------ | --------- | ------------- | ------------------------ |
 * | yes          | any       | any           | is not asked             |
 * | no           | no        | any           | is asked                 |
 * | no           | yes       | Ignore        | is not asked             |
 * | no           | yes       | Fail          | is not asked: a failure  |
 */

/** The most that the evaluations for one request may cost. */
const budgetOfConditions = 2_500_000;

export type ConditionsVerdict =
  { readonly kind: 'met' | 'unmet' } | { readonly kind: 'failed'; readonly problem: string };

export interface CompiledCondition {
  readonly expression: string;
  readonly program: Expression | CelFailure;
}

/**
 * Compiles match conditions. An invalid expression, which storage should not contain, fails at each
 * evaluation.
 */
export function compileConditions(
  conditions: readonly MatchCondition[],
  compiler: AdmissionCompiler,
): readonly CompiledCondition[] {
  return conditions.map(({ expression }) => ({
    expression,
    program: attempt(() => compiler.compile(expression, condition)),
  }));
}

/** @param compiler the compiler that compiled the conditions */
export function judgeConditions(
  conditions: readonly CompiledCondition[],
  failurePolicy: string | undefined,
  compiler: AdmissionCompiler,
  variables: AdmissionVariables,
): ConditionsVerdict {
  const failed = (problem: string): ConditionsVerdict =>
    failurePolicy === 'Ignore' ? { kind: 'unmet' } : { kind: 'failed', problem };
  const budget = createBudget(budgetOfConditions);
  const values = compiler.valuesOf(variables, budget);
  const failures: string[] = [];
  for (const { expression, program } of conditions) {
    try {
      const result =
        program instanceof CelFailure
          ? program
          : attempt(() => budget.run(() => program.evaluate(values, budget)));
      if (result === false) {
        return { kind: 'unmet' };
      }
      if (result instanceof CelFailure) {
        failures.push(`expression '${expression}' resulted in error: ${result.message}`);
      }
    } catch (error) {
      if (error instanceof OutOfBudget) {
        return failed(error.message);
      }
      throw error;
    }
  }
  if (failures.length === 0) {
    return { kind: 'met' };
  }
  return failed(failures.length === 1 ? failures.join('') : `[${failures.join(', ')}]`);
}

const compilerForWebhooks = createAdmissionCompiler({});
/** Caches by identity, because stored webhooks never change in place. */
const conditionsOfWebhooks = new WeakMap<readonly MatchCondition[], readonly CompiledCondition[]>();

/** Whether a webhook is called. Throws 403 if a condition fails and the failurePolicy is not Ignore. */
export function meetsConditions(
  { matchConditions = [], failurePolicy }: Webhook,
  { definition, name }: AdmissionRequest,
  variablesOf: () => AdmissionVariables,
): boolean {
  if (matchConditions.length === 0) {
    return true;
  }
  let conditions = conditionsOfWebhooks.get(matchConditions);
  if (conditions === undefined) {
    conditions = compileConditions(matchConditions, compilerForWebhooks);
    conditionsOfWebhooks.set(matchConditions, conditions);
  }
  const verdict = judgeConditions(conditions, failurePolicy, compilerForWebhooks, variablesOf());
  if (verdict.kind === 'failed') {
    throw forbidden({ group: definition.group, name: definition.plural }, name, verdict.problem);
  }
  return verdict.kind === 'met';
}
