import { isIPv4 } from 'node:net';
import {
  type FieldError,
  duplicate,
  forbiddenField,
  internalFieldError,
  invalid,
  required,
} from '../../meta/field-error.ts';
import { isAddress, validateAddress } from '../addresses.ts';
import { goValue } from '../go-diff.ts';
import type { Pod, PodStatus } from '../pod-object.ts';
import type { PodSpec } from '../pod-spec.ts';
import { validateAnnotationsKept, validatePodAnnotations } from './annotations.ts';
import { validateContainerStatuses, validateTransitions } from './container-statuses.ts';
import { validateDnsLabel, validateDnsSubdomain, validateQualifiedName } from './name-errors.ts';

/* Validates updates of a pod's status (ValidatePodStatusUpdate in pkg/apis/core/validation). */

export function validateStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const { metadata, spec, status } = pod;
  const { annotations } = metadata;
  const { observedGeneration = 0, qosClass = '' } = status;
  return [
    ...validateAnnotationsKept(annotations, old.metadata.annotations, 'metadata.annotations'),
    ...validatePodAnnotations(annotations, spec, 'metadata.annotations'),
    ...validateConditions(status.conditions ?? []),
    ...validateNomination(status.nominatedNodeName, old),
    ...(observedGeneration < 0
      ? [invalid('status.observedGeneration', observedGeneration, 'must be a non-negative integer')]
      : []),
    ...(qosClass === (old.status.qosClass ?? '')
      ? []
      : [invalid('status.qosClass', qosClass, 'field is immutable')]),
    ...validateTransitions(pod, old),
    ...validateClaimStatuses(status, spec),
    ...validateExtendedClaim(status.extendedResourceClaimStatus, spec),
    ...validateAddresses(status.podIPs ?? [], old.status.podIPs ?? [], 'PodIP', 'status.podIPs'),
    ...validateHostAddresses(status, old.status),
    ...validateContainerStatuses(pod),
  ];
}

const ofTheSystem = ['PodScheduled', 'Ready', 'Initialized'];

function validateConditions(conditions: NonNullable<PodStatus['conditions']>): FieldError[] {
  return conditions.flatMap(({ type, observedGeneration = 0 }, index) => {
    const at = `status.conditions[${index}]`;
    return [
      ...(observedGeneration < 0
        ? [invalid(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer')]
        : []),
      ...(ofTheSystem.includes(type) ? [] : validateQualifiedName(type, `${at}.Type`)),
    ];
  });
}

function validateNomination(node = '', { spec, status }: Pod): FieldError[] {
  const at = 'status.nominatedNodeName';
  if (node === '' || node === status.nominatedNodeName) {
    return [];
  }
  return [
    ...validateDnsSubdomain(node, at),
    ...((spec.nodeName ?? '') === ''
      ? []
      : [forbiddenField(at, 'may not be set on pods that are already bound to a node')]),
  ];
}

function validateClaimStatuses(
  { resourceClaimStatuses = [] }: PodStatus,
  { resourceClaims = [] }: PodSpec,
): FieldError[] {
  const names = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, index) => {
    const at = `status.resourceClaimStatuses[${index}]`;
    const isKnown = names.has(name);
    names.add(name);
    return [
      ...(resourceClaims.some((claim) => claim.name === name)
        ? []
        : [invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')]),
      ...(isKnown ? [duplicate(`${at}.name`, name)] : []),
      ...(resourceClaimName === undefined
        ? []
        : validateDnsSubdomain(resourceClaimName, `${at}.resourceClaimName`)),
    ];
  });
}

/** Validates the status of the claim that was created for extended resources. */
function validateExtendedClaim(
  claim: PodStatus['extendedResourceClaimStatus'],
  { containers, initContainers = [] }: PodSpec,
): FieldError[] {
  if (claim === undefined) {
    return [];
  }
  const path = 'status.extendedResourceClaimStatus';
  const all = new Map([...initContainers, ...(containers ?? [])].map((each) => [each.name, each]));
  const mappings = claim.requestMappings ?? [];
  const seen = new Set<string>();
  const errors = mappings.flatMap((mapping, index) => {
    const { containerName, resourceName, requestName } = mapping;
    const at = `${path}.requestMappings[${index}]`;
    const container = all.get(containerName);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    const isKnown = seen.has(key);
    seen.add(key);
    return [
      ...(container === undefined
        ? [
            invalid(
              `${at}.containerName`,
              containerName,
              'must match the name of an entry in spec.initContainers.name or spec.containers.name',
            ),
          ]
        : []),
      ...(container !== undefined && container.resources.requests?.[resourceName] === undefined
        ? [
            invalid(
              `${at}.resourceName`,
              resourceName,
              'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
            ),
          ]
        : []),
      ...validateDnsLabel(requestName, `${path}.requestName`),
      ...(isKnown
        ? [
            duplicate(`${at}.containerName`, containerName),
            duplicate(`${at}.resourceName`, resourceName),
            duplicate(`${at}.requestName`, requestName),
          ]
        : []),
    ];
  });
  const { resourceClaimName: name } = claim;
  return [
    ...(mappings.length === 0
      ? [required(`${path}.requestMappings`, 'at least one request mapping is required')]
      : []),
    ...errors,
    ...(name === ''
      ? [required(`${path}.resourceClaimName`)]
      : validateDnsSubdomain(name, `${path}.resourceClaimName`)),
  ];
}

type Addresses = NonNullable<PodStatus['podIPs']>;

function validateHostAddresses(
  { hostIP = '', hostIPs = [] }: PodStatus,
  { hostIPs: old = [] }: PodStatus,
): FieldError[] {
  const [first] = hostIPs;
  return [
    ...(first === undefined || first.ip === hostIP
      ? []
      : [invalid('status.hostIPs[0].ip', first.ip, 'must be equal to `hostIP`')]),
    ...validateAddresses(hostIPs, old, 'HostIP', 'status.hostIPs'),
  ];
}

/**
 * At most one address of each of the two families. Addresses that were there before are not validated again.
 */
function validateAddresses(
  addresses: Addresses,
  old: Addresses,
  struct: 'PodIP' | 'HostIP',
  path: string,
): FieldError[] {
  const known = new Set(old.map(({ ip }) => ip));
  const errors = addresses.flatMap(({ ip }, index) =>
    known.has(ip) ? [] : validateAddress(ip, `${path}[${index}]`),
  );
  if (addresses.length < 2) {
    return errors;
  }
  const wrong = addresses.findIndex(({ ip }) => !isAddress(ip));
  const isDual = wrong === -1 && new Set(addresses.map(({ ip }) => isIPv4(ip))).size === 2;
  return [
    ...errors,
    ...(wrong === -1
      ? []
      : [
          internalFieldError(
            path,
            `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]?.ip ?? ''}`,
          ),
        ]),
    ...(isDual && addresses.length === 2
      ? []
      : [
          invalid(
            path,
            addresses.map((address) => goValue(address, `core.v1.${struct}`)),
            'may specify no more than one IP for each IP family',
          ),
        ]),
  ];
}
