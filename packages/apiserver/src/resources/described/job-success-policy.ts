import { append } from '../../meta/append.ts';
import { type FieldError, invalid, required, tooLong, tooMany } from '../../meta/field-error.ts';
import { goValue } from '../go-diff.ts';
import { notNegative } from '../numbers.ts';
import { readIndexes } from './job-indexes.ts';
import type { JobSpec, SuccessPolicy, SuccessRule } from './job.ts';

/* Validates the policy by which an indexed job can succeed before all of its pods have. */

const mostRules = 20;
const longestIndexes = 64 * 1024;

/** @param path of the policy */
export function validateSuccessPolicy(
  { completionMode, completions = 0 }: JobSpec,
  policy: SuccessPolicy,
  path: string,
): FieldError[] {
  if (completionMode !== 'Indexed') {
    const shown = goValue(policy, 'batch.v1.SuccessPolicy');
    return [invalid(path, shown, 'requires indexed completion mode')];
  }
  const rules = policy.rules ?? [];
  const at = `${path}.rules`;
  return [
    ...(rules.length === 0
      ? [required(at, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > mostRules ? [tooMany(at, rules.length, mostRules)] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, completions, `${at}[${index}]`)),
  ];
}

function validateRule(rule: SuccessRule, completions: number, path: string): FieldError[] {
  const { succeededIndexes, succeededCount } = rule;
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const at = `${path}.succeededIndexes`;
    if (Buffer.byteLength(succeededIndexes) > longestIndexes) {
      errors.push(tooLong(at, longestIndexes));
    }
    const indexes = readIndexes(succeededIndexes, completions);
    if ('problem' in indexes) {
      errors.push(invalid(at, succeededIndexes, `error parsing succeededIndexes: ${indexes.problem}`));
    } else {
      total = indexes.total;
    }
  }
  if (succeededCount !== undefined) {
    const bounded = (most: number, of: string): FieldError[] =>
      succeededCount > most
        ? [
            invalid(
              `${path}.succeededCount`,
              succeededCount,
              `must be less than or equal to ${most} (the number of ${of})`,
            ),
          ]
        : [];
    append(errors, [
      ...notNegative(rule, path, ['succeededCount']),
      ...bounded(completions, 'specified completions'),
      ...(succeededIndexes === undefined
        ? []
        : bounded(total, 'indexes in the specified succeededIndexes field')),
    ]);
  }
  return errors;
}
