import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsSubdomain, pathSegment } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { canonicalAddressProblems, isNetwork, validateCanonicalNetwork } from '../addresses.ts';
import { goValue } from '../go-diff.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/* networking.k8s.io/v1: the address ranges for services, and the addresses that are in use. */

interface IpAddress extends KubeObject {
  spec: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } };
}

const addresses = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  shortNames: ['ip'],
  namespaced: false,
  struct: 'networking.v1.IPAddress',
  nameRule: (name) => canonicalAddressProblems(name),
  storageVersionHash: '3f/plJFChNE=',
  refusals({ spec: { parentRef } }: IpAddress, old) {
    const struct = 'networking.v1.ParentReference';
    const before = (old as IpAddress | undefined)?.spec.parentRef;
    const [now, then] = [parentRef, before].map((ref) => (ref === undefined ? null : goValue(ref, struct)));
    return [
      ...(parentRef === undefined ? [required('spec.parentRef')] : validateParent(parentRef)),
      ...(old === undefined ? [] : validateImmutable(now, then, 'spec.parentRef')),
    ];
  },
  shown: [
    text<IpAddress>('ParentRef', 'Whose address it is', ({ spec: { parentRef = {} } }) =>
      [parentRef.group, parentRef.resource, parentRef.namespace, parentRef.name]
        .filter((part) => part !== undefined && part !== '')
        .join('/'),
    ),
    age,
  ],
});

function validateParent(parent: NonNullable<IpAddress['spec']['parentRef']>): FieldError[] {
  const { group = '' } = parent;
  const path = 'spec.parentRef';
  return [
    ...(group === ''
      ? []
      : dnsSubdomain(group, false).map((problem) => invalid(`${path}.group`, group, problem))),
    ...(['resource', 'name', 'namespace'] as const).flatMap((field) => {
      const { [field]: value = '' } = parent;
      return value === '' && field !== 'namespace'
        ? [required(`${path}.${field}`)]
        : pathSegment(value, false).map((problem) => invalid(`${path}.${field}`, value, problem));
    }),
  ];
}

/** Rows have a cell for the age, but there is no column for it. */
export const ipAddresses: ResourceDefinition = { ...addresses, columns: addresses.columns.slice(0, -1) };

interface ServiceCidr extends KubeObject {
  spec: { cidrs?: string[] };
}

export const serviceCidrs = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  struct: 'networking.v1.ServiceCIDR',
  storageVersionHash: 'gNLvruQhW2g=',
  hasStatus: true,
  refusals({ spec: { cidrs = [] } }: ServiceCidr, old) {
    const before = (old as ServiceCidr | undefined)?.spec.cidrs;
    if (before === undefined) {
      return validateNetworks(cidrs);
    }
    const changed = (count: number): FieldError[] =>
      before
        .slice(0, count)
        .flatMap((cidr, index) => validateImmutable(cidrs[index], cidr, `spec.cidrs[${index}]`));
    if (cidrs.length === before.length) {
      return changed(before.length);
    }
    return before.length === 1 && cidrs.length === 2
      ? [...changed(1), ...validateNetworks(cidrs)]
      : [invalid('spec.cidrs', cidrs, 'field is immutable')];
  },
  shown: [text<ServiceCidr>('CIDRs', 'The networks', ({ spec: { cidrs = [] } }) => cidrs.join(',')), age],
});

/** At most one network of each family. */
function validateNetworks(cidrs: readonly string[]): FieldError[] {
  const path = 'spec.cidrs';
  if (cidrs.length === 0) {
    return [required(path, 'at least one CIDR required')];
  }
  if (cidrs.length > 2) {
    return [invalid(path, { CIDRs: [...cidrs] }, 'may only hold up to 2 values')];
  }
  const isTwice =
    cidrs.every(isNetwork) && new Set(cidrs.map((cidr) => cidr.includes(':'))).size < cidrs.length;
  const problem = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [
    ...cidrs.flatMap((cidr, index) => validateCanonicalNetwork(cidr, `${path}[${index}]`)),
    ...(isTwice ? [invalid(path, [...cidrs], problem)] : []),
  ];
}
