import { type FieldError, invalid } from '../../meta/field-error.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';

/* Validates names of resources: Kubernetes' own need no domain, all others do (pkg/apis/core/helper). */

const standard: ReadonlySet<string> = new Set([
  ...['', 'requests.', 'limits.'].flatMap((part) =>
    ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${part}${name}`),
  ),
  'storage',
  'requests.storage',
  'pods',
  'resourcequotas',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

export const isNativeResource = (name: string): boolean =>
  !name.includes('/') || name.includes('kubernetes.io/');

export function isExtendedResource(name: string): boolean {
  return (
    !isNativeResource(name) &&
    !name.startsWith('requests.') &&
    // A quota must be able to limit it.
    qualifiedNameProblems(`requests.${name}`).length === 0
  );
}

export function validateResourceName(name: string, at: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) {
    return problems.map((problem) => invalid(at, name, problem));
  }
  const isStandard = standard.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  return name.includes('/') || isStandard
    ? []
    : [invalid(at, name, 'must be a standard resource type or fully qualified')];
}
