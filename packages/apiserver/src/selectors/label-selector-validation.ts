import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, required } from '../meta/field-error.ts';
import type { LabelSelector } from '../meta/kube-object.ts';
import { labelValueProblems, qualifiedNameProblems } from '../meta/names.ts';
import { validateLabels } from '../meta/object-meta.ts';

/**
 * Validates LabelSelector objects as ValidateLabelSelector in k8s.io/apimachinery/pkg/apis/meta/v1/validation
 * does.
 */
export function validateLabelSelector(selector: LabelSelector | undefined, path: string): FieldError[] {
  if (selector === undefined) {
    return [];
  }
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((expression, index) =>
      validateExpression(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function validateExpression(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbiddenField(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      );
    }
  } else {
    errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  append(errors, [
    ...qualifiedNameProblems(key).map((problem) => invalid(`${path}.key`, key, problem)),
    ...values.flatMap((value, index) =>
      labelValueProblems(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
    ),
  ]);
  return errors;
}
