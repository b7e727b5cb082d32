import type { FieldError } from '../field-error.ts';
import { invalidObject, notSupported } from '../field-error.ts';
import { validateDryRun } from './delete-options.ts';

/** The query options of a write, checked. */
export interface WriteQuery {
  readonly isDryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly fieldManager: string;
  readonly force: boolean | undefined;
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

/** Throws 422 naming the options kind, as the real server does. */
export function parseWriteQuery(
  query: URLSearchParams,
  optionsKind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteQuery {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = validateDryRun(dryRun);
  if (!fieldValidations.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, fieldValidations));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', name: optionsKind }, '', errors);
  const force = query.get('force');
  return {
    isDryRun: dryRun.includes('All'),
    fieldValidation: fieldValidation === 'Strict' || fieldValidation === 'Ignore' ? fieldValidation : 'Warn',
    fieldManager: query.get('fieldManager') ?? '',
    force: force === null ? undefined : force === 'true' || force === '1',
  };
}
