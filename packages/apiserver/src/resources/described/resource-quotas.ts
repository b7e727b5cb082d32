import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { goValue } from '../go-diff.ts';
import { isStandardOfQuotas, validateQuotaResourceName, validateResourceAmount } from '../resource-names.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

interface Amounts {
  [resource: string]: string;
}

interface ScopeRequirement extends JsonObject {
  scopeName: string;
  operator: string;
  values?: string[];
}

interface QuotaSpec extends JsonObject {
  hard?: Amounts;
  scopes?: string[];
  scopeSelector?: { matchExpressions?: ScopeRequirement[] };
}

interface ResourceQuota extends KubeObject {
  spec: QuotaSpec;
  status: { hard?: Amounts; used?: Amounts };
}

/** core/v1 */
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
  refusals({ spec, status }: ResourceQuota, old) {
    const before = old as ResourceQuota | undefined;
    const { scopes = [] } = spec;
    return [
      ...validateAmounts(spec.hard, 'spec.hard'),
      ...validateScopes(spec),
      ...validateSelector(spec),
      ...(before === undefined ? validateUse(status) : []),
      ...(before === undefined || isSameSet(scopes, before.spec.scopes ?? [])
        ? []
        : [invalid('spec.scopes', spec.scopes ?? null, 'field is immutable')]),
    ];
  },
  statusRefusals: ({ status }: ResourceQuota) => validateUse(status),
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

function validateAmounts(amounts: Amounts = {}, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, `${path}[${name}]`),
    ...validateResourceAmount(name, amount, `${path}[${name}]`),
  ]);
}

function validateUse({ hard, used }: ResourceQuota['status']): FieldError[] {
  return [...validateAmounts(hard, 'status.hard'), ...validateAmounts(used, 'status.used')];
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((item) => b.includes(item)) && b.every((item) => a.includes(item));

const ofPods = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

/** The resources of quotas to which each scope can apply. */
const resourcesOf: Readonly<Record<string, readonly string[]>> = {
  Terminating: ofPods,
  NotTerminating: ofPods,
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  BestEffort: ['pods'],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
const onlyExisting = [
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
];
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const isFor = (scope: string, resource: string): boolean =>
  !isStandardOfQuotas(resource) || (resourcesOf[scope]?.includes(resource) ?? true);

const areOpposed = (scopes: readonly string[]): boolean =>
  opposites.some((pair) => pair.every((scope) => scopes.includes(scope)));

function validateScopes({ hard = {}, scopes = [] }: QuotaSpec): FieldError[] {
  const refuse = (problem: string): FieldError => invalid('spec.scopes', [...scopes], problem);
  return [
    ...scopes.flatMap((scope) => [
      ...(resourcesOf[scope] === undefined ? [refuse('unsupported scope')] : []),
      ...Object.keys(hard)
        .filter((resource) => !isFor(scope, resource))
        .map(() => refuse('unsupported scope applied to resource')),
    ]),
    ...(areOpposed(scopes) ? [refuse('conflicting scopes')] : []),
  ];
}

function validateSelector({ hard = {}, scopes, scopeSelector }: QuotaSpec): FieldError[] {
  const requirements = scopeSelector?.matchExpressions ?? [];
  const path = 'spec.scopeSelector.matchExpressions';
  const shown = goValue(scopeSelector ?? {}, 'core.v1.ScopeSelector');
  return [
    ...requirements.flatMap((requirement) => [
      ...(resourcesOf[requirement.scopeName] === undefined
        ? [invalid(`${path}.scopeName`, requirement.scopeName, 'unsupported scope')]
        : []),
      ...Object.keys(hard)
        .filter((resource) => !isFor(requirement.scopeName, resource))
        .map(() => invalid(path, shown, 'unsupported scope applied to resource')),
      ...validateRequirement(requirement, path),
    ]),
    ...(areOpposed(requirements.map(({ scopeName }) => scopeName))
      ? [invalid(path, scopes ?? null, 'conflicting scopes')]
      : []),
  ];
}

function validateRequirement(
  { scopeName, operator, values = [] }: ScopeRequirement,
  path: string,
): FieldError[] {
  const ofScope =
    onlyExisting.includes(scopeName) && operator !== 'Exists'
      ? [
          invalid(
            `${path}.operator`,
            operator,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
          ),
        ]
      : [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? ofScope
        : [
            ...ofScope,
            required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? ofScope
        : [
            ...ofScope,
            invalid(
              `${path}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [...ofScope, invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
