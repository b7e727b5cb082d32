import { type FieldError, duplicate, invalid, notSupported, required, tooLong } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import { qualifiedNameProblems } from '../meta/names.ts';
import { repeatedIn } from './repeated-values.ts';

interface Condition extends JsonObject {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
  lastTransitionTime?: string | null;
}

const statuses = ['False', 'True', 'Unknown'];
const longest = { reason: 1024, message: 32 * 1024 };
const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${reasonFormat}$`);
const reasonProblem = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonFormat}')`;

/** Conditions of meta/v1, as ValidateConditions in k8s.io/apimachinery/pkg/apis/meta/v1/validation checks them. */
export function validateConditions(given: readonly JsonObject[], path: string): FieldError[] {
  const conditions = given as readonly Condition[];
  const repeated = repeatedIn(conditions.map(({ type }) => type));
  return conditions.flatMap((condition, index) => {
    const { type, status, reason = '', message = '', observedGeneration = 0 } = condition;
    const at = `${path}[${index}]`;
    return [
      ...(repeated.has(index) ? [duplicate(`${at}.type`, type)] : []),
      ...qualifiedNameProblems(type).map((problem) => invalid(`${at}.type`, type, problem)),
      ...(statuses.includes(status) ? [] : [notSupported(`${at}.status`, status, statuses)]),
      ...(observedGeneration < 0
        ? [invalid(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')]
        : []),
      ...(condition.lastTransitionTime ? [] : [required(`${at}.lastTransitionTime`)]),
      ...(reason === '' ? [required(`${at}.reason`)] : []),
      ...(reason === '' || reasonPattern.test(reason)
        ? []
        : [invalid(`${at}.reason`, reason, reasonProblem)]),
      ...(Buffer.byteLength(reason) > longest.reason ? [tooLong(`${at}.reason`, longest.reason)] : []),
      ...(Buffer.byteLength(message) > longest.message ? [tooLong(`${at}.message`, longest.message)] : []),
    ];
  });
}
