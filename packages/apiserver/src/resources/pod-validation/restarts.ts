import { type FieldError, notSupported, required, tooMany } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';

/* Validates restart policies and rules of single containers, which override the policy of their pod. */

export interface RestartRule extends JsonObject {
  action?: string;
  exitCodes?: { operator?: string; values?: number[] };
}

export interface Restarting {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly RestartRule[];
}

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const mostRules = 20;
const mostExitCodes = 255;

export function validateRestarts(
  { restartPolicy, restartPolicyRules: rules = [] }: Restarting,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (restartPolicy === undefined) {
    if (rules.length === 0) {
      return [];
    }
    const problem = 'must specify restartPolicy when restart rules are used';
    errors.push(required(`${path}.restartPolicy`, problem));
  } else if (!policies.includes(restartPolicy)) {
    errors.push(notSupported(`${path}.restartPolicy`, restartPolicy, policies));
  }
  if (rules.length > mostRules) {
    errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, mostRules));
  }
  return [
    ...errors,
    ...rules.flatMap((rule, index) => validateRule(rule, `${path}.restartPolicyRules[${index}]`)),
  ];
}

/** For init containers: without a policy, the rules themselves are not validated. */
export function validateInitRestarts(container: Restarting, path: string): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) {
    return validateRestarts(container, path);
  }
  return rules.length > 0
    ? [required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used')]
    : [];
}

function validateRule({ action = '', exitCodes }: RestartRule, path: string): FieldError[] {
  const at = `${path}.exitCodes`;
  const errors = actions.includes(action) ? [] : [notSupported(`${path}.action`, action, actions)];
  if (exitCodes === undefined) {
    return [...errors, required(at, 'must be specified')];
  }
  const { operator = '', values = [] } = exitCodes;
  return [
    ...errors,
    ...(operators.includes(operator) ? [] : [notSupported(`${at}.operator`, operator, operators)]),
    ...(values.length > mostExitCodes ? [tooMany(`${at}.values`, values.length, mostExitCodes)] : []),
  ];
}
