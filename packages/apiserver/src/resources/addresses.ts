import { isIPv4, isIPv6 } from 'node:net';
import { type FieldError, invalid } from '../meta/field-error.ts';

/* Validates addresses and networks, in the real server's words. */

const addressProblem = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const networkProblem = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

interface Address {
  /** 4 bytes for IPv4, 16 for IPv6. */
  readonly bytes: readonly number[];
  /** The canonical form, the only one that new fields accept. */
  readonly canonical: string;
  /** Refused, because some parsers read numbers with leading zeros as octal. */
  readonly hasLeadingZeros: boolean;
}

function parseAddress(text: string): Address | undefined {
  const plain = text.replaceAll(/(^|\.)0+(?=\d)/g, '$1');
  if (isIPv4(plain)) {
    return { bytes: plain.split('.').map(Number), canonical: plain, hasLeadingZeros: plain !== text };
  }
  if (!isIPv6(text) || text.includes('%')) {
    return undefined;
  }
  // URLs format IPv6 addresses as RFC 5952 does, in brackets.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [head, tail] = [groups(before), groups(after ?? '')];
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const bytes = [...head, ...zeros, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return { bytes, canonical, hasLeadingZeros: false };
}

/** Whether an IPv6 address is a mapped IPv4 address. */
const isMapped = ({ bytes }: Address): boolean =>
  bytes.length === 16 && bytes.every((byte, index) => index > 11 || byte === (index > 9 ? 255 : 0));

/** Whether the text is an address, even in a form that fields refuse. */
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

export function validateAddress(text: string, path: string): FieldError[] {
  return addressProblems(text).map((problem) => invalid(path, text, problem));
}

function addressProblems(text: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) {
    return [addressProblem];
  }
  return [
    ...(address.hasLeadingZeros ? ['must not have leading 0s'] : []),
    ...(isMapped(address) ? ['must not be an IPv4-mapped IPv6 address'] : []),
  ];
}

/** For fields that accept only the canonical form of an address. */
export function canonicalAddressProblems(text: string): string[] {
  const problems = addressProblems(text);
  const canonical = parseAddress(text)?.canonical ?? text;
  return problems.length > 0 || canonical === text
    ? problems
    : [`must be in canonical form ("${canonical}")`];
}

export function validateCanonicalAddress(text: string, path: string): FieldError[] {
  return canonicalAddressProblems(text).map((problem) => invalid(path, text, problem));
}

/** Refuses addresses that do not identify another machine, such as loopback addresses. */
export function validateEndpointAddress(text: string, path: string): FieldError[] {
  const address = parseAddress(text);
  if (address === undefined) {
    return [invalid(path, text, 'must be a valid IP address')];
  }
  const problem = endpointProblem(address.bytes, text);
  return problem === undefined ? [] : [invalid(path, text, problem)];
}

function endpointProblem(bytes: readonly number[], text: string): string | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  const isV4 = bytes.length === 4;
  const rest = bytes.slice(0, -1).every((byte) => byte === 0);
  if (rest && bytes.at(-1) === 0) {
    return `may not be unspecified (${text})`;
  }
  if (isV4 ? first === 127 : rest && bytes.at(-1) === 1) {
    return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  }
  if (isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  }
  if (isV4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2) {
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  }
  return undefined;
}

interface Network {
  readonly address: Address;
  readonly length: number;
  readonly hasLeadingZeros: boolean;
}

function parseNetwork(text: string): Network | undefined {
  const [ip = '', bits = '', ...more] = text.split('/');
  const address = parseAddress(ip);
  const length = Number(bits);
  return address === undefined || more.length > 0 || !/^\d+$/.test(bits) || length > address.bytes.length * 8
    ? undefined
    : { address, length, hasLeadingZeros: address.hasLeadingZeros || /^0\d/.test(bits) };
}

/** Whether the text is a network, even in a form that fields refuse. */
export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

export function validateNetwork(text: string, path: string): FieldError[] {
  const network = parseNetwork(text);
  const problem = network === undefined ? networkProblem : problemOfNetwork(network);
  return problem === undefined ? [] : [invalid(path, text, problem)];
}

function problemOfNetwork({ address, length, hasLeadingZeros }: Network): string | undefined {
  if (hasLeadingZeros) {
    return 'must not have leading 0s in IP or prefix length';
  }
  if (isMapped(address)) {
    return 'must not have an IPv4-mapped IPv6 address';
  }
  const isBeyond = address.bytes.some((byte, index) => {
    const kept = Math.min(Math.max(length - index * 8, 0), 8);
    return (byte & (255 >> kept)) !== 0;
  });
  return isBeyond ? 'must not have bits set beyond the prefix length' : undefined;
}

/** For fields that accept only the canonical form of a network. */
export function validateCanonicalNetwork(text: string, path: string): FieldError[] {
  const errors = validateNetwork(text, path);
  const network = parseNetwork(text);
  const canonical = network === undefined ? text : `${network.address.canonical}/${network.length}`;
  return errors.length > 0 || canonical === text
    ? errors
    : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}

/** For an address with the length of its network's prefix, in canonical form. */
export function validateInterfaceAddress(text: string, path: string): FieldError[] {
  const network = parseNetwork(text);
  if (network === undefined) {
    return [
      invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'),
    ];
  }
  const { address, length } = network;
  const canonical = `${address.canonical}/${length}`;
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}

/** Whether a network is a proper subset of another one. */
export function isStrictlyWithin(inner: string, outer: string): boolean {
  const [a, b] = [parseNetwork(inner), parseNetwork(outer)];
  return (
    a !== undefined &&
    b !== undefined &&
    a.address.bytes.length === b.address.bytes.length &&
    a.length > b.length &&
    a.address.bytes.every((byte, index) => {
      const kept = Math.min(Math.max(b.length - index * 8, 0), 8);
      const mask = 255 & ~(255 >> kept);
      return (byte & mask) === ((b.address.bytes[index] ?? 0) & mask);
    })
  );
}
