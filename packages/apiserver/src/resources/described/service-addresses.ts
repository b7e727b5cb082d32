import { append } from '../../meta/append.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import { internalErrorOccurred } from '../../meta/status-error.ts';
import { validateAddress } from '../addresses.ts';
import { repeatedIn } from '../repeated-values.ts';
import { type Service, type ServiceSpec, hasAddress, isHeadless, isSameList } from './service-spec.ts';

/*
 * The cluster IPs and IP families of services: which fields clients may leave out, how addresses are
 * allocated (10.0.0.0/24, IPv4 only), and what may change (pkg/registry/core/service/storage/alloc.go).
 */

const addressPrefix = '10.0.0.';
/** All addresses that a service can have: those of the range except the first and the last. */
const addresses = Array.from({ length: 254 }, (_, index) => `${addressPrefix}${index + 1}`);
/**
 * In the order of allocation. While others are free, the first sixteen are kept for services that ask for one
 * of them. The very first belongs to the service `kubernetes`.
 */
const addressesInTurn = [...addresses.slice(16), ...addresses.slice(1, 16)];
/** The address that a dry run shows, because it allocates none. */
const addressOfDryRuns = `${addressPrefix}0`;
const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/**
 * Keeps the addresses if the client sends none. If it changes only clusterIP, that becomes the only address.
 */
export function keepAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (old !== undefined && hasAddress(old) && hasAddress(spec)) {
    if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) {
      spec.clusterIP = old.clusterIP;
    }
    if ((spec.clusterIPs ?? []).length === 0 && old.clusterIPs !== undefined) {
      spec.clusterIPs = [...old.clusterIPs];
    }
  }
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) {
      spec.clusterIPs = [clusterIP];
    }
    return;
  }
  const before = old.clusterIP ?? '';
  if (clusterIP === before) {
    if (clusterIPs.length === 0 && old.clusterIPs !== undefined) {
      spec.clusterIPs = [...old.clusterIPs];
    }
  } else if (isSameList(clusterIPs, old.clusterIPs)) {
    if (clusterIP === '') {
      delete spec.clusterIPs;
    } else {
      spec.clusterIPs = [clusterIP];
    }
  }
}

/**
 * Sets the defaults of ipFamilyPolicy and ipFamilies.
 *
 * @returns the errors that make the service impossible in this cluster, which has a single family
 */
export function completeFamilies(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  if (!hasAddress(spec)) {
    return [];
  }
  if (old !== undefined && prefersAsBefore(spec, old)) {
    return [];
  }
  const isForAnyPods = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isForAnyPods ? 'RequireDualStack' : 'SingleStack');
  const malformed = validateAddressFields(spec);
  if (malformed.length > 0) {
    return malformed;
  }
  const errors = [
    ...(old === undefined ? [] : release(spec, old)),
    ...inferFamilies(spec),
    ...refuseTwo(spec),
  ];
  if (errors.length > 0) {
    return errors;
  }
  if (isForAnyPods) {
    const [first = 'IPv4', second] = spec.ipFamilies ?? [];
    const other = spec.ipFamilyPolicy === 'SingleStack' ? undefined : families.find((one) => one !== first);
    const both = [first, second ?? other];
    spec.ipFamilies = both.filter((family) => family !== undefined);
    return [];
  }
  const missing = refuseSecondFamily(spec);
  if (missing.length === 0 && (spec.ipFamilies ?? []).length === 0) {
    spec.ipFamilies = ['IPv4'];
  }
  return missing;
}

/** Whether a service that preferred two families is unchanged in that. It keeps what it has. */
function prefersAsBefore(spec: ServiceSpec, old: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    old.ipFamilyPolicy === 'PreferDualStack' &&
    spec.type === old.type &&
    isSameList(spec.clusterIPs, old.clusterIPs) &&
    isSameList(spec.ipFamilies, old.ipFamilies)
  );
}

/**
 * A service that becomes SingleStack releases its second address and family. Otherwise it must not lose one.
 */
function release(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const lists = [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    for (const [field] of lists) {
      const list = spec[field];
      if (list !== undefined && list.length > 1 && isSameList(list, old[field])) {
        spec[field] = list.slice(0, 1);
      }
    }
    return [];
  }
  return lists.flatMap(([field, name]) => {
    const count = (spec[field] ?? []).length;
    return count > 0 && count < (old[field] ?? []).length
      ? [
          invalid(
            'spec.ipFamilyPolicy',
            spec.ipFamilyPolicy,
            `must be 'SingleStack' to release the secondary ${name}`,
          ),
        ]
      : [];
  });
}

function refuseTwo({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): readonly FieldError[] {
  const refuse = (list: readonly string[], what: string): readonly FieldError[] =>
    list.length === 2
      ? [
          invalid(
            'spec.ipFamilyPolicy',
            ipFamilyPolicy,
            `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
          ),
        ]
      : [];
  return ipFamilyPolicy === 'SingleStack'
    ? [...refuse(clusterIPs, 'cluster IPs'), ...refuse(ipFamilies, 'IP families')]
    : [];
}

/** Derives missing families from the addresses. */
function inferFamilies(spec: ServiceSpec): readonly FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const errors: FieldError[] = [];
  for (const [index, address] of clusterIPs.entries()) {
    if (address === 'None') {
      break;
    }
    if (index < ipFamilies.length) {
      continue;
    }
    if (address.includes(':')) {
      const problem = 'IPv6 is not configured on this cluster';
      errors.push(invalid(`spec.clusterIPs[${index}]`, [...clusterIPs], problem));
    } else {
      ipFamilies.push('IPv4');
      spec.ipFamilies = ipFamilies;
    }
  }
  return errors;
}

function refuseSecondFamily({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec): readonly FieldError[] {
  return [
    ...(ipFamilyPolicy === 'RequireDualStack'
      ? [
          invalid(
            'spec.ipFamilyPolicy',
            ipFamilyPolicy,
            'this cluster is not configured for dual-stack services',
          ),
        ]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      family === 'IPv4'
        ? []
        : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}

/**
 * Allocates an address for a new service, or for one that was an ExternalName.
 *
 * @param others all services that exist
 * @returns why the service cannot have its address; a dry run checks only whether the address is in the
 *   range
 */
export function allocateAddress(
  { metadata, spec }: Service,
  old: ServiceSpec | undefined,
  others: readonly ServiceSpec[],
  isDryRun: boolean,
): readonly FieldError[] {
  const isNew = old === undefined || !hasAddress(old);
  if (!isNew || !hasAddress(spec) || isHeadless(spec)) {
    return [];
  }
  const [given = ''] = spec.clusterIPs ?? [];
  const used = new Set(others.flatMap(({ clusterIPs = [] }) => clusterIPs));
  const address = given !== '' ? given : isDryRun ? addressOfDryRuns : freeAddress(metadata, used);
  const problem = isDryRun ? problemOfDryRun(given) : problemOf(given, used, address, metadata);
  if (problem !== undefined) {
    const text = `failed to allocate IP${given === '' ? '' : ` ${given}`}: ${problem}`;
    return [invalid('spec.clusterIPs', [given], text)];
  }
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  return [];
}

/**
 * The real server stores an IPAddress object for each address. That object needs the name of the service,
 * before the name itself is validated.
 */
function problemOf(
  given: string,
  used: ReadonlySet<string>,
  address: string,
  { name = '' }: Service['metadata'],
): string | undefined {
  if (given !== '' && !addresses.includes(given)) {
    return 'the provided network does not match the current range';
  }
  if (name === '') {
    return `IPAddress.networking.k8s.io "${address}" is invalid: spec.parentRef.name: Required value`;
  }
  return used.has(address) ? 'provided IP is already allocated' : undefined;
}

function problemOfDryRun(given: string): string | undefined {
  return given === '' || given.startsWith(addressPrefix)
    ? undefined
    : `the provided IP (${given}) is not in the valid range. The range of valid IPs is ${addressPrefix}0/24`;
}

function freeAddress({ name = '' }: Service['metadata'], used: ReadonlySet<string>): string {
  const free = addressesInTurn.find((address) => !used.has(address));
  if (free === undefined) {
    throw internalErrorOccurred(`failed to allocate a serviceIP for Service "${name}": range is full`);
  }
  return free;
}

/**
 * A service that becomes an ExternalName releases its addresses. If the client changed them as well, they
 * stay, and validation refuses them.
 */
export function dropAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if (!hasAddress(old) || hasAddress(spec)) {
    return;
  }
  if (spec.clusterIP === old.clusterIP && isSameList(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (isSameList(spec.ipFamilies, old.ipFamilies)) {
    delete spec.ipFamilies;
  }
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) {
    delete spec.ipFamilyPolicy;
  }
}

/** Validates addresses and families, each on its own and together. */
export function validateAddressFields(spec: ServiceSpec): FieldError[] {
  if (!hasAddress(spec)) {
    return [];
  }
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  if (clusterIP !== '' && clusterIPs.length === 0) {
    errors.push(required('spec.clusterIPs'));
  } else if (clusterIP !== '' && clusterIPs[0] !== clusterIP) {
    errors.push(invalid('spec.clusterIPs', [...clusterIPs], 'first value must match `clusterIP`'));
  } else if (clusterIP === '' && clusterIPs.length > 0) {
    errors.push(
      invalid('spec.clusterIPs', [...clusterIPs], 'must be empty when `clusterIP` is not specified'),
    );
  }
  const repeated = repeatedIn(ipFamilies);
  for (const [index, family] of ipFamilies.entries()) {
    const at = `spec.ipFamilies[${index}]`;
    append(errors, [
      ...(families.includes(family) ? [] : [notSupported(at, family, families)]),
      ...(repeated.has(index) ? [duplicate(at, family)] : []),
    ]);
  }
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, policies));
  }
  const malformed = clusterIPs.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return validateAddress(address, `spec.clusterIPs[${index}]`);
    }
    return clusterIPs.length === 1
      ? []
      : [invalid('spec.clusterIPs', [...clusterIPs], "'None' must be the first and only value")];
  });
  append(errors, malformed);
  if (clusterIPs.length > 2) {
    errors.push(invalid('spec.clusterIPs', [...clusterIPs], 'may only hold up to 2 values'));
  }
  return malformed.length > 0 || isHeadless(spec) ? errors : [...errors, ...validateFamilies(spec)];
}

function validateFamilies({ clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4');
  const isTwice = new Set(clusterIPs.map(familyOf)).size < clusterIPs.length;
  return [
    ...(isTwice
      ? [invalid('spec.clusterIPs', [...clusterIPs], 'may specify no more than one IP for each IP family')]
      : []),
    ...clusterIPs.flatMap((address, index) => {
      const family = ipFamilies[index];
      return family === undefined || family === familyOf(address)
        ? []
        : [
            invalid(
              `spec.clusterIPs[${index}]`,
              address,
              `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
            ),
          ];
    }),
  ];
}

/** Addresses cannot change, except that a second one may be added or released. */
export function validateAddressChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!hasAddress(spec) || !hasAddress(old)) {
    return [];
  }
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const unchangeable = (field: 'clusterIPs' | 'ipFamilies', index: number): FieldError =>
    invalid(`spec.${field}[${index}]`, [...(spec[field] ?? [])], 'may not change once set');
  const errors: FieldError[] = [];
  if (!isHeadless(spec) || !isHeadless(old)) {
    const before = old.clusterIPs ?? [];
    if (clusterIPs.length === 0 && before.length > 0) {
      errors.push(invalid('spec.clusterIPs[0]', null, 'primary clusterIP can not be unset'));
    }
    const compared = clusterIPs.length === before.length ? before.length : 1;
    for (const [index, address] of before.slice(0, compared).entries()) {
      if (index < clusterIPs.length && clusterIPs[index] !== address) {
        errors.push(unchangeable('clusterIPs', index));
      }
    }
    if (clusterIPs.length === 1 && before.length > 1 && ipFamilyPolicy !== 'SingleStack') {
      const problem = "must be set to 'SingleStack' when releasing the secondary clusterIP";
      errors.push(invalid('spec.ipFamilyPolicy', ipFamilyPolicy, problem));
    }
  }
  if (!isHeadless(spec) && !isHeadless(old)) {
    const [first] = old.ipFamilies ?? [];
    if (first !== undefined && ipFamilies[0] !== undefined && ipFamilies[0] !== first) {
      errors.push(unchangeable('ipFamilies', 0));
    }
  }
  return errors;
}
