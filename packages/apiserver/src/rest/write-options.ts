import {
  type FieldError,
  forbiddenField,
  invalidObject,
  notSupported,
  required,
} from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import { validateDryRun } from './delete-options.ts';

/** The query options of a write, checked. */
export interface WriteQuery {
  readonly isDryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly fieldManager: string;
  readonly force: boolean | undefined;
  /** What was given, as admission webhooks are shown it. */
  readonly sent: JsonObject;
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

/** Throws 422 naming the options kind, as the real server does. */
export function parseWriteQuery(
  query: URLSearchParams,
  optionsKind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteQuery {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = validateDryRun(dryRun);
  if (!fieldValidations.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, fieldValidations));
  }
  const force = query.get('force');
  if (optionsKind === 'PatchOptions') {
    errors.push(...validateApplyOptions(query, isApply));
  }
  if (errors.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', name: optionsKind }, '', errors);
  }
  return {
    isDryRun: dryRun.includes('All'),
    fieldValidation: fieldValidation === 'Strict' || fieldValidation === 'Ignore' ? fieldValidation : 'Warn',
    fieldManager: query.get('fieldManager') ?? '',
    sent: {
      ...(dryRun.length === 0 ? undefined : { dryRun }),
      ...given(query, 'fieldManager'),
      ...given(query, 'fieldValidation'),
    },
    force: force === null ? undefined : force === 'true' || force === '1',
  };
}

function validateApplyOptions(query: URLSearchParams, isApply: boolean): FieldError[] {
  if (isApply) {
    return (query.get('fieldManager') ?? '') === ''
      ? [required('fieldManager', 'is required for apply patch')]
      : [];
  }
  return query.has('force') ? [forbiddenField('force', 'may not be specified for non-apply patch')] : [];
}

function given(query: URLSearchParams, option: string): JsonObject | undefined {
  const value = query.get(option) ?? '';
  return value === '' ? undefined : { [option]: value };
}
