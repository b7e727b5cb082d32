import { CelFailure } from '../cel/function-table.ts';
import { type RequestVariables, requestExpression } from '../cel/match-condition.ts';
import { forbidden } from '../meta/status-error.ts';
import type { Webhook } from '../resources/webhook-configuration.ts';
import type { AdmissionRequest } from './admission.ts';

/**
 * Whether the conditions of a webhook let it be called, as k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions decides:
 *
 * | one is false | one fails | failurePolicy | the webhook                       |
 * | ------------ | --------- | ------------- | --------------------------------- |
 * | yes          | any       | any           | is not called                     |
 * | no           | no        | any           | is called                         |
 * | no           | yes       | Ignore        | is not called                     |
 * | no           | yes       | Fail          | is not called: 403 for the request |
 */
export function meetsConditions(
  { matchConditions = [], failurePolicy }: Webhook,
  { definition, name }: AdmissionRequest,
  variablesOf: () => RequestVariables,
): boolean {
  if (matchConditions.length === 0) {
    return true;
  }
  const variables = variablesOf();
  const failures: string[] = [];
  for (const { expression } of matchConditions) {
    try {
      if (requestExpression(expression.trim()).evaluate(variables) === false) {
        return false;
      }
    } catch (error) {
      if (!(error instanceof CelFailure)) {
        throw error;
      }
      failures.push(`expression '${expression}' resulted in error: ${error.message}`);
    }
  }
  if (failures.length === 0) {
    return true;
  }
  if (failurePolicy === 'Ignore') {
    return false;
  }
  const problem = failures.length === 1 ? failures.join('') : `[${failures.join(', ')}]`;
  throw forbidden({ group: definition.group, name: definition.plural }, name, problem);
}
