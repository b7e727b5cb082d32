import {
  type FieldError,
  duplicate,
  invalid,
  invalidAsAWhole,
  notSupported,
  required,
  tooMany,
} from '../../meta/field-error.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { repeatedIn } from '../repeated-values.ts';
import type { FailureRule, JobSpec, OnExitCodes, OnPodCondition, PodFailurePolicy } from './job.ts';

/* Validates how a job handles failed pods, by their exit codes and conditions. */

const most = { rules: 20, conditions: 20, codes: 255 };
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

const oneOf = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;

/** For a required text that must be one of the choices. */
function validateChoice(value: string, choices: readonly string[], path: string): FieldError[] {
  if (value === '') {
    return [required(path, oneOf(choices))];
  }
  return choices.includes(value) ? [] : [notSupported(path, value, choices)];
}

export function applyFailurePolicyDefaults({ rules }: PodFailurePolicy): void {
  for (const { onPodConditions = [] } of rules ?? []) {
    for (const condition of onPodConditions) {
      condition.status ||= 'True';
    }
  }
}

/** @param path of the policy */
export function validatePodFailurePolicy(
  spec: JobSpec,
  policy: PodFailurePolicy,
  path: string,
): FieldError[] {
  const rules = policy.rules ?? [];
  const at = `${path}.rules`;
  return [
    ...(rules.length > most.rules ? [tooMany(at, rules.length, most.rules)] : []),
    ...rules.flatMap((rule, index) => validateRule(spec, rule, `${at}[${index}]`)),
  ];
}

function validateRule(spec: JobSpec, rule: FailureRule, path: string): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const hasConditions = onPodConditions.length > 0;
  const hasCodes = onExitCodes !== undefined;
  return [
    ...validateChoice(action, actions, `${path}.action`),
    ...(action === 'FailIndex' && spec.backoffLimitPerIndex === undefined
      ? [invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set')]
      : []),
    ...(hasCodes ? validateCodes(spec, onExitCodes, `${path}.onExitCodes`) : []),
    ...validateConditions(onPodConditions, `${path}.onPodConditions`),
    ...(hasCodes && hasConditions
      ? [invalidAsAWhole(path, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(!hasCodes && !hasConditions
      ? [invalidAsAWhole(path, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
}

function validateConditions(conditions: readonly OnPodCondition[], path: string): FieldError[] {
  return [
    ...(conditions.length > most.conditions ? [tooMany(path, conditions.length, most.conditions)] : []),
    ...conditions.flatMap(({ type, status = '' }, index) => [
      ...qualifiedNameProblems(type).map((problem) => invalid(`${path}[${index}].type`, type, problem)),
      ...validateChoice(status, statuses, `${path}[${index}].status`),
    ]),
  ];
}

function validateCodes(
  { template }: JobSpec,
  { operator, containerName, values: given }: OnExitCodes,
  path: string,
): FieldError[] {
  const { containers, initContainers } = template.spec;
  const isThere = [...(containers ?? []), ...(initContainers ?? [])].some(
    ({ name }) => name === containerName,
  );
  const at = `${path}.values`;
  const values = given ?? [];
  const repeated = repeatedIn(values);
  return [
    ...validateChoice(operator, operators, `${path}.operator`),
    ...(containerName === undefined || isThere
      ? []
      : [
          invalid(
            `${path}.containerName`,
            containerName,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]),
    ...(values.length === 0 ? [invalid(at, given, 'at least one value is required')] : []),
    ...(values.length > most.codes ? [tooMany(at, values.length, most.codes)] : []),
    ...values.flatMap((value, index) => [
      ...(operator === 'In' && value === 0
        ? [invalid(`${at}[${index}]`, value, 'must not be 0 for the In operator')]
        : []),
      ...(repeated.has(index) ? [duplicate(`${at}[${index}]`, value)] : []),
    ]),
    ...(values.some((value, index) => value < (values[index - 1] ?? value))
      ? [invalid(at, values, 'must be ordered')]
      : []),
  ];
}
