import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { validateQualifiedName } from './name-errors.ts';

/* Validates references to fields of the pod itself (the downward API), in variables and in volumes. */

export interface FieldReference extends JsonObject {
  apiVersion?: string;
  fieldPath: string;
}

export interface ResourceReference extends JsonObject {
  containerName?: string;
  resource: string;
  divisor?: string;
}

/** All paths that variables or volumes can name. */
const known: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
/** The current names of renamed fields. */
const renamed: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' };

/** @param supported the paths that are valid here, in alphabetical order */
export function validateFieldReference(
  { apiVersion = '', fieldPath }: FieldReference,
  supported: readonly string[],
  at: string,
): FieldError[] {
  if (apiVersion === '') {
    return [required(`${at}.apiVersion`)];
  }
  if (fieldPath === '') {
    return [required(`${at}.fieldPath`)];
  }
  const unreadable = (problem: string): FieldError[] => [
    invalid(`${at}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== 'v1') {
    return unreadable(`unsupported pod version: ${apiVersion}`);
  }
  const [, map, key] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) {
    switch (map) {
      case 'metadata.annotations':
        return validateQualifiedName(key.toLowerCase(), at);
      case 'metadata.labels':
        return validateQualifiedName(key, at);
      default:
        return unreadable(`field label does not support subscript: ${fieldPath}`);
    }
  }
  const path = renamed[fieldPath] ?? fieldPath;
  if (!known.has(path)) {
    return unreadable(`field label not supported: ${fieldPath}`);
  }
  return supported.includes(path) ? [] : [notSupported(`${at}.fieldPath`, path, supported)];
}

const amounts = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const hugePages = /^(?:limits|requests)\.hugepages-/;
const bytes = [
  '1',
  ...['k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix) => `1${suffix}`),
];

export function validateResourceReference(
  { containerName = '', resource, divisor = '0' }: ResourceReference,
  isInVolume: boolean,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (isInVolume && containerName === '') {
    errors.push(required(`${at}.containerName`));
  } else if (resource === '') {
    errors.push(required(`${at}.resource`));
  } else if (!amounts.includes(resource) && !hugePages.test(resource)) {
    errors.push(notSupported(`${at}.resource`, resource, amounts));
  }
  return divisor === '0' ? errors : [...errors, ...validateDivisor(resource, divisor, `${at}.divisor`)];
}

function validateDivisor(resource: string, divisor: string, at: string): FieldError[] {
  const ofBytes = (name: string): FieldError[] =>
    bytes.includes(divisor)
      ? []
      : [
          invalid(
            at,
            resource,
            `only divisor's values ${bytes.join(', ')} are supported with the ${name} resource`,
          ),
        ];
  switch (resource) {
    case 'limits.cpu':
    case 'requests.cpu':
      return divisor === '1' || divisor === '1m'
        ? []
        : [invalid(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
    case 'limits.memory':
    case 'requests.memory':
      return ofBytes('memory');
    case 'limits.ephemeral-storage':
    case 'requests.ephemeral-storage':
      return ofBytes('local ephemeral storage');
    default:
      return hugePages.test(resource) ? ofBytes('hugepages') : [];
  }
}
