import { type FieldError, invalid } from '../meta/field-error.ts';
import { qualifiedNameProblems } from '../meta/names.ts';
import { compareQuantities, isFractional } from '../schema/quantity.ts';

/* Names of resources such as cpu: which are valid where, and which amounts they may have. */

const ofContainers = ['cpu', 'memory', 'ephemeral-storage'];
const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const requestsPrefix = 'requests.';
const ofQuotas: ReadonlySet<string> = new Set([
  ...ofContainers,
  ...ofContainers.flatMap((name) => [`${requestsPrefix}${name}`, `limits.${name}`]),
  ...counted,
  'requests.storage',
]);

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Whether quotas can limit the resource by its plain name. */
export const isStandardOfQuotas = (name: string): boolean =>
  ofQuotas.has(name) || isHugePages(name) || name.startsWith(`${requestsPrefix}hugepages-`);

const isExtended = (name: string): boolean =>
  !isNative(name) &&
  !name.startsWith(requestsPrefix) &&
  qualifiedNameProblems(`${requestsPrefix}${name}`).length === 0;

export function validateResourceName(name: string, path: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) {
    return problems.map((problem) => invalid(path, name, problem));
  }
  return name.includes('/') || isStandardOfQuotas(name) || name === 'storage'
    ? []
    : [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

export function validateContainerResourceName(name: string, path: string): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    return ofContainers.includes(name) || isHugePages(name)
      ? errors
      : [...errors, invalid(path, name, 'must be a standard resource for containers')];
  }
  return isNative(name) || isExtended(name)
    ? errors
    : [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}

export function validateQuotaResourceName(name: string, path: string): FieldError[] {
  const errors = validateResourceName(name, path);
  return name.includes('/') || isStandardOfQuotas(name)
    ? errors
    : [...errors, invalid(path, name, 'must be a standard resource for quota')];
}

/** Resources that are counted must have whole amounts. */
export function validateResourceAmount(name: string, amount: string, path: string): FieldError[] {
  return [
    ...(compareQuantities(amount, '0') < 0
      ? [invalid(path, amount, 'must be greater than or equal to 0')]
      : []),
    ...((counted.includes(name) || isExtended(name)) && isFractional(amount)
      ? [invalid(path, amount, 'must be an integer')]
      : []),
  ];
}
