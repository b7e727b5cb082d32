import { type FieldError, invalid, notSupported } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { labelValueProblems } from '../../meta/names.ts';
import { validateQualifiedName } from './name-errors.ts';

export interface Toleration extends JsonObject {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/**
 * Validates which taints of nodes a pod tolerates.
 *
 * @param path of the list
 */
export function validateTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, `${path}[${index}]`));
}

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const errors = key === '' ? [] : validateQualifiedName(key, `${at}.key`);
  if (key === '' && operator !== 'Exists') {
    const problem =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${at}.operator`, operator, problem));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const problem = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${at}.effect`, effect, problem));
  }
  return [
    ...errors,
    ...validateOperator(operator, value, `${at}.operator`),
    ...(effect === '' || effects.includes(effect) ? [] : [notSupported(`${at}.effect`, effect, effects)]),
  ];
}

function validateOperator(operator: string, value: string, at: string): FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(at, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      // Lt and Gt need the feature TaintTolerationComparisonOperators, which is off by default.
      return [notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(at, operator, ['Equal', 'Exists'])];
  }
}
