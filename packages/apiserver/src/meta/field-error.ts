import { goJson } from './go-print.ts';
import type { Json } from './json.ts';
import { type GroupName, type StatusCause, type StatusDetails, StatusError } from './status-error.ts';

/** One finding of validation, worded as k8s.io/apimachinery/pkg/util/validation/field does. */
export interface FieldError {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  readonly message: string;
}

function show(value: Json | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value) : goJson(value ?? null);
}

export function required(field: string, detail = ''): FieldError {
  return {
    field,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  };
}

export function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  const message = `Invalid value: ${show(value)}`;
  return { field, reason: 'FieldValueInvalid', message: detail === '' ? message : `${message}: ${detail}` };
}

/** The error for a value that is too large to show, or that the client did not send. */
export function invalidAsAWhole(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
}

export function notSupported(
  field: string,
  value: Json | undefined,
  supported: readonly string[],
): FieldError {
  const list = supported.map((item) => JSON.stringify(item)).join(', ');
  return {
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${show(value)}: supported values: ${list}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${detail}` };
}

export function duplicate(field: string, value: Json): FieldError {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${show(value)}` };
}

export function fieldNotFound(field: string, value: Json, detail = ''): FieldError {
  const message = `Not found: ${show(value)}${detail === '' ? '' : `: ${detail}`}`;
  return { field, reason: 'FieldValueNotFound', message };
}

export function tooLong(field: string, maximum: number): FieldError {
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${maximum} bytes` };
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  const message = `Too many: ${actual}: must have at most ${maximum} ${maximum === 1 ? 'item' : 'items'}`;
  return { field, reason: 'FieldValueTooMany', message };
}

export function typeInvalid(field: string, value: Json, detail: string): FieldError {
  return { field, reason: 'FieldValueTypeInvalid', message: `Invalid value: ${show(value)}: ${detail}` };
}

export function internalFieldError(field: string, problem: string): FieldError {
  return { field, reason: 'InternalError', message: `Internal error: ${problem}` };
}

/**
 * Returns 422 Invalid. As in the real server, the message lists each finding once, while the causes list all
 * of them.
 */
export function invalidObject(kind: GroupName, name: string, errors: readonly FieldError[]): StatusError {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const summary = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const causes: StatusCause[] = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const details: StatusDetails = {};
  if (name !== '') {
    details.name = name;
  }
  if (kind.group !== '') {
    details.group = kind.group;
  }
  if (kind.name !== '') {
    details.kind = kind.name;
  }
  details.causes = causes;
  const qualified = kind.group === '' ? kind.name : `${kind.name}.${kind.group}`;
  return new StatusError(422, 'Invalid', `${qualified} "${name}" is invalid: ${summary}`, details);
}
