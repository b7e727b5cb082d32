import { isIPv4, isIPv6 } from 'node:net';
import { CelFailure, type CelFunction } from './function-table.ts';
import { OpaqueValue } from './opaque-value.ts';

/* The functions on addresses and networks of k8s.io/apiserver/pkg/cel/library/ip.go and cidr.go. */

type Family = 4 | 6;

export class Address extends OpaqueValue {
  readonly family: Family;
  readonly bits: bigint;

  constructor(family: Family, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }
}

export class Network extends OpaqueValue {
  readonly address: Address;
  readonly prefix: number;

  constructor(address: Address, prefix: number) {
    super();
    this.address = address;
    this.prefix = prefix;
  }
}

const widthOf = (family: Family): number => (family === 4 ? 32 : 128);

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return new Address(4, fromParts(text.split('.').map(Number), 8));
  }
  if (!isIPv6(text) || text.includes('%')) {
    return undefined;
  }
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (dotted !== null && /^::ffff:$/i.test(dotted[1] ?? '')) {
    // An IPv4 address that is written as an IPv6 address (`::ffff:1.2.3.4`) is refused.
    return undefined;
  }
  const [a = 0, b = 0, c = 0, d = 0] = dotted?.slice(2).map(Number) ?? [];
  const plain =
    dotted === null ? text : `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const all = [...before, ...missing, ...after].map((group) => Number.parseInt(group, 16));
  const bits = fromParts(all, 16);
  return bits >> 32n === 0xffffn ? undefined : new Address(6, bits);
}

function fromParts(parts: readonly number[], width: number): bigint {
  return parts.reduce((bits, part) => (bits << BigInt(width)) | BigInt(part), 0n);
}

function parseNetwork(text: string): Network | undefined {
  const [, base = '', prefix = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(base);
  return address === undefined || Number(prefix) > widthOf(address.family)
    ? undefined
    : new Network(address, Number(prefix));
}

function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) {
    throw new CelFailure(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  }
  return address;
}

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) {
    throw new CelFailure(
      `network address parse error during conversion from string: ${JSON.stringify(text)}`,
    );
  }
  return network;
}

/** The bits of an address that a prefix covers. */
function head({ family, bits }: Address, prefix: number): bigint {
  return bits >> BigInt(widthOf(family) - prefix);
}

function isIn(network: Network, address: Address): boolean {
  return (
    network.address.family === address.family &&
    head(network.address, network.prefix) === head(address, network.prefix)
  );
}

function isWithin(text: string, address: Address): boolean {
  return isIn(networkOf(text), address);
}

const isLoopback = (address: Address): boolean =>
  address.family === 4 ? isWithin('127.0.0.0/8', address) : address.bits === 1n;
const isMulticast = (address: Address): boolean =>
  isWithin(address.family === 4 ? '224.0.0.0/4' : 'ff00::/8', address);
const isLinkLocalUnicast = (address: Address): boolean =>
  isWithin(address.family === 4 ? '169.254.0.0/16' : 'fe80::/10', address);
const isLinkLocalMulticast = (address: Address): boolean =>
  address.family === 4
    ? isWithin('224.0.0.0/24', address)
    : isMulticast(address) && ((address.bits >> 112n) & 0xfn) === 2n;
const isGlobalUnicast = (address: Address): boolean =>
  address.bits !== 0n &&
  !(address.family === 4 && address.bits === 0xffffffffn) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address);

export const addressFunctions: readonly CelFunction[] = [
  ['ip(string): net.IP', addressOf],
  ['isIP(string): bool', (text: string) => parseAddress(text) !== undefined],
  ['ip.isCanonical(string): bool', (_: unknown, text: string) => textOfAddress(addressOf(text)) === text],
  ['k8s_string(net.IP): string', textOfAddress],
  ['k8s_string(net.CIDR): string', ({ address, prefix }: Network) => `${textOfAddress(address)}/${prefix}`],
  ['net.IP.family(): int', ({ family }: Address) => BigInt(family)],
  ['net.IP.isUnspecified(): bool', ({ bits }: Address) => bits === 0n],
  ['net.IP.isLoopback(): bool', isLoopback],
  ['net.IP.isLinkLocalMulticast(): bool', isLinkLocalMulticast],
  ['net.IP.isLinkLocalUnicast(): bool', isLinkLocalUnicast],
  ['net.IP.isGlobalUnicast(): bool', isGlobalUnicast],
  ['cidr(string): net.CIDR', networkOf],
  ['isCIDR(string): bool', (text: string) => parseNetwork(text) !== undefined],
  ['net.CIDR.containsIP(net.IP): bool', isIn],
  ['net.CIDR.containsIP(string): bool', (network: Network, text: string) => isIn(network, addressOf(text))],
  ['net.CIDR.containsCIDR(net.CIDR): bool', containsNetwork],
  [
    'net.CIDR.containsCIDR(string): bool',
    (network: Network, text: string) => containsNetwork(network, networkOf(text)),
  ],
  ['net.CIDR.ip(): net.IP', ({ address }: Network) => address],
  ['net.CIDR.prefixLength(): int', ({ prefix }: Network) => BigInt(prefix)],
  [
    'net.CIDR.masked(): net.CIDR',
    ({ address, prefix }: Network) => {
      const host = BigInt(widthOf(address.family) - prefix);
      return new Network(new Address(address.family, (address.bits >> host) << host), prefix);
    },
  ],
];

/** Formats an address as RFC 5952 does: the first of the longest runs of zeros is left out. */
function textOfAddress({ family, bits }: Address): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':');
  const runs = groups.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest === '' ? groups : groups.replace(new RegExp(`(?:^|:)\\b${longest}\\b(?::|$)`), '::');
}

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.prefix <= inner.prefix && isIn(outer, inner.address);
}
