import { randomUUID } from 'node:crypto';
import { type FieldError, invalid } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { describedResource } from './described-resource.ts';
import { age, createdAt, text } from './shown.ts';

/* Limits of namespaces in core/v1. */

interface Amounts {
  [resource: string]: string;
}

interface LimitRangeItem extends JsonObject {
  type: string;
  max?: Amounts;
  min?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
}

const isEmpty = (amounts: Amounts): boolean => Object.keys(amounts).length === 0;

interface LimitRange extends KubeObject {
  spec: { limits: LimitRangeItem[] | null };
}

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
  judgedHere: ['core.v1.LimitRangeItem'],
  refusals: ({ spec }: LimitRange) =>
    (spec.limits ?? []).flatMap((item, index) => validateItem(item, `spec.limits[${index}]`)),
  shown: [createdAt],
});

function validateItem({ type, min = {}, max = {} }: LimitRangeItem, path: string): FieldError[] {
  const errors = qualifiedNameProblems(type).map((problem) => invalid(`${path}.type`, type, problem));
  for (const [name, least] of Object.entries(min)) {
    const most = max[name];
    if (most !== undefined && compareQuantities(least, most) > 0) {
      const problem = `min value ${least} is greater than max value ${most}`;
      errors.push(invalid(`${path}.min[${name}]`, least, problem));
    }
  }
  return errors;
}

interface ResourceQuota extends KubeObject {
  spec: { hard?: Amounts; scopes?: string[] } & JsonObject;
  status: { hard?: Amounts; used?: Amounts };
}

const scopes: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);

export const resourceQuotas = describedResource({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  namespaced: true,
  struct: 'core.v1.ResourceQuota',
  storageVersionHash: '8uhSgffRX6w=',
  hasStatus: true,
  returnsDeletedObject: true,
  immutable: ['spec.scopes'],
  refusals({ spec }: ResourceQuota) {
    const { hard = {}, scopes: given = [] } = spec;
    return [
      ...Object.entries(hard).flatMap(([name, amount]) => [
        ...qualifiedNameProblems(name).map((problem) => invalid(`spec.hard[${name}]`, name, problem)),
        ...(compareQuantities(amount, '0') < 0
          ? [invalid(`spec.hard[${name}]`, amount, 'must be greater than or equal to 0')]
          : []),
      ]),
      ...(given.every((scope) => scopes.has(scope))
        ? []
        : [invalid('spec.scopes', given, 'unsupported scope')]),
    ];
  },
  shown: [
    text<ResourceQuota>('Request', 'What is used of what may be asked for', ({ status }) =>
      printUse(status, (name) => !name.startsWith('limits')),
    ),
    text<ResourceQuota>('Limit', 'What is used of the limits', ({ status }) =>
      printUse(status, (name) => name.startsWith('limits')),
    ),
    age,
  ],
});

function printUse(
  { hard = {}, used = {} }: ResourceQuota['status'],
  isShown: (name: string) => boolean,
): string {
  return Object.keys(hard)
    .filter(isShown)
    .sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? ''}`)
    .join(', ');
}
