import {
  type FieldError,
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { dnsLabel, dnsSubdomain, labelValueProblems } from '../../meta/names.ts';
import { isGivenEmpty } from '../../schema/decode.ts';
import { validateQualifiedName as validateLabelName } from '../pod-validation/name-errors.ts';
import { repeatedIn } from '../repeated-values.ts';

/* Validates what devices and the claims to them have in common: names, taints and binding conditions. */

const longest = { driver: 63, pool: 253, id: 32 };

export function validateDriverName(name: string, path: string): FieldError[] {
  if (name === '') {
    return [required(path)];
  }
  return [
    ...(name.length > longest.driver ? [tooLong(path, longest.driver)] : []),
    ...dnsSubdomain(name.toLowerCase(), false).map((problem) => invalid(path, name, problem)),
  ];
}

export function validatePoolName(name: string, path: string): FieldError[] {
  if (name === '') {
    return [required(path)];
  }
  return [
    ...(name.length > longest.pool ? [tooLong(path, longest.pool)] : []),
    ...name
      .split('/')
      .flatMap((part) => dnsSubdomain(part, false).map((problem) => invalid(path, part, problem))),
  ];
}

/** Validates the name of a device, a request or a counter. */
export function validateLabel(name: string, path: string): FieldError[] {
  return dnsLabel(name, false).map((problem) => invalid(path, name, problem));
}

const identifier = '[A-Za-z_][A-Za-z0-9_]*';
const identifierPattern = new RegExp(`^${identifier}$`);
const identifierProblem = `a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '${identifier}')`;

function validateIdentifier(id: string, path: string): FieldError[] {
  return [
    ...(id.length > longest.id ? [tooLong(path, longest.id)] : []),
    ...(identifierPattern.test(id) ? [] : [invalid(path, id, identifierProblem)]),
  ];
}

/** Validates the name of an attribute or a capacity, with or without a domain. */
export function validateAttributeName(name: string, path: string): FieldError[] {
  const [domain = '', id, ...more] = name.split('/');
  if (id === undefined) {
    return validateIdentifier(domain, path);
  }
  return more.length > 0
    ? // The real server takes more than one slash.
      []
    : [
        ...(domain === ''
          ? [invalid(path, '', 'the domain must not be empty')]
          : validateDriverName(domain, path)),
        ...(id === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(id, path)),
      ];
}

/** For a list whose items have no other name than a part of theirs. */
export function validateSet<Item>(
  items: readonly Item[],
  most: number,
  path: string,
  keyOf: (item: Item) => string,
  validate: (item: Item, path: string) => FieldError[],
): FieldError[] {
  if (items.length > most) {
    return [tooMany(path, items.length, most)];
  }
  const keys = items.map(keyOf);
  return [
    ...items.flatMap((item, index) => validate(item, `${path}[${index}]`)),
    ...keys.flatMap((key, index) => (keys.indexOf(key) < index ? [duplicate(`${path}[${index}]`, key)] : [])),
  ];
}

/** Returns the errors of the items of a list, or that there are too many. */
export function validateItems<Item>(
  items: readonly Item[],
  most: number,
  path: string,
  validate: (item: Item, path: string) => FieldError[],
): FieldError[] {
  return items.length > most
    ? [tooMany(path, items.length, most)]
    : items.flatMap((item, index) => validate(item, `${path}[${index}]`));
}

export interface DeviceTaint extends JsonObject {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

export function validateDeviceTaint({ key, value = '', effect }: DeviceTaint, path: string): FieldError[] {
  return [
    ...validateLabelName(key, `${path}.key`),
    ...validateLabelValue(value, `${path}.value`),
    ...(effect === '' ? [required(`${path}.effect`)] : validateEffect(effect, path)),
  ];
}

export interface DeviceToleration extends JsonObject {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

const operators = ['Equal', 'Exists'];

export function validateDeviceToleration(
  { key = '', operator = '', value = '', effect = '' }: DeviceToleration,
  path: string,
): FieldError[] {
  return [
    ...(key === '' ? [] : validateLabelName(key, `${path}.key`)),
    ...(operator === 'Exists' && value !== ''
      ? [invalid(`${path}.value`, value, 'must be empty for operator `Exists`')]
      : []),
    ...(operator === 'Equal' ? validateLabelValue(value, `${path}.value`) : []),
    ...(operator === '' ? [required(`${path}.operator`)] : []),
    ...(operator === '' || operators.includes(operator)
      ? []
      : [notSupported(`${path}.operator`, operator, operators)]),
    ...(effect === '' ? [] : validateEffect(effect, path)),
  ];
}

function validateEffect(effect: string, path: string): FieldError[] {
  return effects.includes(effect) ? [] : [notSupported(`${path}.effect`, effect, effects)];
}

function validateLabelValue(value: string, path: string): FieldError[] {
  return labelValueProblems(value).map((problem) => invalid(path, value, problem));
}

const mostConditions = 4;

/** The conditions for which a binding waits, and those that end the waiting. */
export interface BindingConditions {
  readonly bindingConditions?: string[];
  readonly bindingFailureConditions?: string[];
}

export function validateBindingConditions(given: BindingConditions, path: string): FieldError[] {
  const { bindingConditions: awaited = [], bindingFailureConditions: failures = [] } = given;
  const at = `${path}.bindingConditions`;
  const atFailures = `${path}.bindingFailureConditions`;
  const needs = (what: string, other: string): string => `${what} are required to use ${other}`;
  const [repeatedAwaited, repeatedFailures] = [repeatedIn(awaited), repeatedIn(failures)];
  const awaitedNames = new Set(awaited);
  return [
    ...validateItems(awaited, mostConditions, at, validateLabelName),
    ...validateItems(failures, mostConditions, atFailures, validateLabelName),
    ...awaited.flatMap((name, index) =>
      repeatedAwaited.has(index) ? [duplicate(`${at}[${index}]`, name)] : [],
    ),
    ...failures.flatMap((name, index) => [
      ...(repeatedFailures.has(index) ? [duplicate(`${atFailures}[${index}]`, name)] : []),
      ...(awaitedNames.has(name)
        ? [
            invalid(
              `${atFailures}[${index}]`,
              name,
              'bindingFailureConditions must not overlap with bindingConditions',
            ),
          ]
        : []),
    ]),
    ...(awaited.length === 0 && failures.length > 0
      ? [
          invalid(
            at,
            isGivenEmpty(given, 'bindingConditions') ? [] : null,
            needs('bindingConditions', 'bindingFailureConditions'),
          ),
        ]
      : []),
    ...(failures.length === 0 && awaited.length > 0
      ? [
          invalid(
            atFailures,
            isGivenEmpty(given, 'bindingFailureConditions') ? [] : null,
            needs('bindingFailureConditions', 'bindingConditions'),
          ),
        ]
      : []),
  ];
}
