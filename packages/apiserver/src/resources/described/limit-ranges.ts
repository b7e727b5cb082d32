import { randomUUID } from 'node:crypto';
import { append } from '../../meta/append.ts';
import { type FieldError, duplicate, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { compareQuantities, nanosOf } from '../../schema/quantity.ts';
import { repeatedIn } from '../repeated-values.ts';
import {
  isHugePages,
  isNative,
  validateContainerResourceName,
  validateResourceName,
} from '../resource-names.ts';
import { describedResource } from './described-resource.ts';
import { createdAt } from './shown.ts';

interface Amounts {
  [resource: string]: string;
}

interface LimitRangeItem extends JsonObject {
  type: string;
  max?: Amounts;
  min?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

const isEmpty = (amounts: Amounts): boolean => Object.keys(amounts).length === 0;

interface LimitRange extends KubeObject {
  spec: { limits: LimitRangeItem[] | null };
}

/** core/v1 */
export const limitRanges = describedResource({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  namespaced: true,
  struct: 'core.v1.LimitRange',
  storageVersionHash: 'EBKMFVe6cwo=',
  allowCreateOnUpdate: true,
  applyDefaults({ spec }: LimitRange) {
    for (const item of spec.limits ?? []) {
      if (item.type === 'Container') {
        const most = { ...item.max, ...item.default };
        const usual = { ...item.min, ...most, ...item.defaultRequest };
        delete item.default;
        delete item.defaultRequest;
        Object.assign(
          item,
          isEmpty(most) ? {} : { default: most },
          isEmpty(usual) ? {} : { defaultRequest: usual },
        );
      }
    }
  },
  prepareForCreate({ metadata }: LimitRange) {
    metadata.name = metadata.name || randomUUID();
  },
  refusals({ spec }: LimitRange) {
    const limits = spec.limits ?? [];
    const repeated = repeatedIn(limits.map(({ type }) => type));
    return limits.flatMap((item, index) => {
      const at = `spec.limits[${index}]`;
      return [
        ...validateType(item.type, `${at}.type`),
        ...(repeated.has(index) ? [duplicate(`${at}.type`, item.type)] : []),
        ...validateItem(item, at),
      ];
    });
  },
  shown: [createdAt],
});

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

function validateType(type: string, path: string): FieldError[] {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) {
    return problems.map((problem) => invalid(path, type, problem));
  }
  return type.includes('/') || types.includes(type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: LimitRangeItem, path: string): FieldError[] {
  const { type, min = {}, max = {}, maxLimitRequestRatio: ratios = {} } = item;
  const isOfPods = type === 'Pod';
  const { default: usual = {}, defaultRequest: request = {} } = isOfPods ? {} : item;
  const validateName =
    isOfPods || type === 'Container' ? validateContainerResourceName : validateResourceName;
  const names = (amounts: Amounts, field: string): FieldError[] =>
    Object.keys(amounts).flatMap((name) => validateName(name, `${path}.${field}[${name}]`));
  const refused = (['default', 'defaultRequest'] as const).flatMap((field) =>
    isOfPods && !isEmpty(item[field] ?? {})
      ? [forbiddenField(`${path}.${field}`, "may not be specified when `type` is 'Pod'")]
      : [],
  );
  const all = new Set([max, min, usual, request, ratios].flatMap((amounts) => Object.keys(amounts)));
  const isUnbounded =
    type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined;
  return [
    ...names(max, 'max'),
    ...names(min, 'min'),
    ...refused,
    ...names(usual, 'default'),
    ...names(request, 'defaultRequest'),
    ...(isUnbounded
      ? [
          required(
            `${path}.limits`,
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]
      : []),
    ...names(ratios, 'maxLimitRequestRatio'),
    ...[...all].flatMap((name) =>
      validateBounds(
        {
          min: min[name],
          max: max[name],
          usual: usual[name],
          request: request[name],
          ratio: ratios[name],
        },
        name,
        path,
      ),
    ),
  ];
}

type Bounds = Readonly<Record<'min' | 'max' | 'usual' | 'request' | 'ratio', string | undefined>>;

/** Validates the bounds of one resource, from the minimum to the maximum. */
function validateBounds(
  { min, max, usual, request, ratio }: Bounds,
  name: string,
  path: string,
): FieldError[] {
  const refuse = (field: string, value: string, problem: string): FieldError[] => [
    invalid(`${path}.${field}[${name}]`, value, problem),
  ];
  const isAbove = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
  const errors: FieldError[] = [];
  if (min !== undefined && isAbove(min, max)) {
    append(errors, refuse('min', min, `min value ${min} is greater than max value ${max ?? ''}`));
  }
  if (request !== undefined) {
    const [least, value] = [min ?? '', `default request value ${request}`];
    append(errors, [
      ...(isAbove(min, request)
        ? refuse('defaultRequest', request, `min value ${least} is greater than ${value}`)
        : []),
      ...(isAbove(request, max)
        ? refuse('defaultRequest', request, `${value} is greater than max value ${max ?? ''}`)
        : []),
      ...(isAbove(request, usual)
        ? refuse('defaultRequest', request, `${value} is greater than default limit value ${usual ?? ''}`)
        : []),
    ]);
  }
  if (usual !== undefined && min !== undefined && isAbove(min, usual)) {
    append(errors, refuse('default', min, `min value ${min} is greater than default value ${usual}`));
  }
  if (usual !== undefined && max !== undefined && isAbove(usual, max)) {
    append(errors, refuse('default', max, `default value ${usual} is greater than max value ${max}`));
  }
  if (ratio !== undefined) {
    append(
      errors,
      validateRatio(ratio, min, max).flatMap((text) => refuse('maxLimitRequestRatio', ratio, text)),
    );
  }
  const isWhole = !isNative(name) || isHugePages(name);
  if (isWhole && usual !== undefined && request !== undefined && compareQuantities(usual, request) !== 0) {
    const problem = `default value ${usual} must equal to defaultRequest value ${request} in ${name}`;
    append(errors, refuse('defaultRequest', request, problem));
  }
  return errors;
}

function validateRatio(ratio: string, min: string | undefined, max: string | undefined): string[] {
  const number = (text: string): number => Number(nanosOf(text) ?? 0n);
  const most = min === undefined || max === undefined ? Infinity : number(max) / number(min);
  return [
    ...(compareQuantities(ratio, '1') < 0 ? [`ratio ${ratio} is less than 1`] : []),
    ...(number(ratio) / 1e9 > most ? [`ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`] : []),
  ];
}
