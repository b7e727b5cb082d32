import type { AdmissionCompiler } from '../cel/admission-expression.ts';
import { append } from '../meta/append.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../meta/field-error.ts';
import { qualifiedNameProblems } from '../meta/names.ts';
import type {
  AdmissionPolicySpec,
  AdmissionPolicyStatus,
  AuditAnnotation,
  PolicyValidation,
} from './admission-policy-spec.ts';
import { annotation, compileErrors, condition, message as messageResult } from './cel-field.ts';
import { validateBasis } from './policy-basis-validation.ts';
import { repeatedIn } from './repeated-values.ts';

/* Validates ValidatingAdmissionPolicies, as pkg/apis/admissionregistration/validation/validation.go does. */

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const mostAnnotations = 20;
const longestAnnotation = 5 * 1024;

export function validatePolicySpec(spec: AdmissionPolicySpec, name: string, path: string): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  const { errors, compiler } = validateBasis(spec, path);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    errors.push(required(`${path}.validations`, detail), required(`${path}.auditAnnotations`, detail));
  }
  for (const [index, validation] of validations.entries()) {
    append(errors, validateValidation(validation, compiler, `${path}.validations[${index}]`));
  }
  append(errors, validateAnnotations(auditAnnotations, name, compiler, `${path}.auditAnnotations`));
  return errors;
}

function validateValidation(
  { expression, message = '', messageExpression = '', reason }: PolicyValidation,
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (expression.trim() === '') {
    errors.push(required(`${path}.expression`, 'expression is not specified'));
  } else {
    const act = (): unknown => compiler.compile(expression, condition);
    append(errors, compileErrors(act, expression, `${path}.expression`));
  }
  const ofMessage = `${path}.messageExpression`;
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(ofMessage, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    const act = (): unknown => compiler.compile(messageExpression, messageResult);
    append(errors, compileErrors(act, messageExpression, ofMessage));
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  return errors;
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations.length > mostAnnotations) {
    const detail = `must not have more than ${mostAnnotations} auditAnnotations`;
    errors.push(invalid(path, [...annotations], detail));
  }
  const repeated = repeatedIn(annotations.map(({ key }) => key));
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = `${path}[${index}]`;
    const qualified = `${policy}/${key}`;
    append(errors, [
      ...(policy === ''
        ? [invalid(`${at}.key`, key, 'requires metadata.name be non-empty')]
        : qualifiedNameProblems(qualified).map((problem) => invalid(`${at}.key`, qualified, problem))),
      ...validateAnnotationValue(valueExpression, compiler, `${at}.valueExpression`),
      ...(repeated.has(index) ? [duplicate(`${at}.key`, key)] : []),
    ]);
  }
  return errors;
}

function validateAnnotationValue(
  expression: string,
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const trimmed = expression.trim();
  if (trimmed === '') {
    return [required(path, 'valueExpression is not specified')];
  }
  return Buffer.byteLength(trimmed) > longestAnnotation
    ? [required(path, `must not exceed ${longestAnnotation} bytes in length`)]
    : compileErrors(() => compiler.compile(trimmed, annotation), expression, path);
}

export function validatePolicyStatus({ typeChecking }: AdmissionPolicyStatus, path: string): FieldError[] {
  return (typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
    const at = `${path}.typeChecking.expressionWarnings[${index}]`;
    return [
      ...(warning === '' ? [required(`${at}.warning`)] : []),
      ...(fieldRef.trim() === '' ? [required(`${at}.fieldRef`)] : []),
    ];
  });
}
