import { append } from '../meta/append.ts';
import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidObject,
  notSupported,
  required,
  tooLong,
} from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import { validateDryRun } from './delete-options.ts';

/** The query options of a write, validated. */
export interface WriteQuery {
  readonly isDryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly fieldManager: string;
  readonly force: boolean | undefined;
  /** The options as they were given, which admission webhooks are shown. */
  readonly sent: JsonObject;
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

/** Parses the options. Throws 422 naming the options kind, as the real server does. */
export function parseWriteQuery(
  query: URLSearchParams,
  optionsKind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteQuery {
  const dryRun = query.getAll('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = validateDryRun(dryRun);
  if (!fieldValidations.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, fieldValidations));
  }
  append(errors, validateManager(query.get('fieldManager') ?? ''));
  const force = query.get('force');
  if (optionsKind === 'PatchOptions') {
    append(errors, validateApplyOptions(query, isApply));
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

const longestManager = 128;

function validateManager(name: string): FieldError[] {
  if (Buffer.byteLength(name) > longestManager) {
    return [tooLong('fieldManager', longestManager)];
  }
  const odd = name.search(/[\p{C}\p{Zl}\p{Zp}]/u);
  if (odd < 0) {
    return [];
  }
  const code = (name.codePointAt(odd) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [invalid('fieldManager', name, `invalid character U+${code} (at position ${odd})`)];
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
