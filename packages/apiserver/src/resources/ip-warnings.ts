import { isIPv6 } from 'node:net';

/*
 * IPv6 addresses that are right, yet not in the form of RFC 5952. The API server also warns of leading zeros and of IPv4
 * addresses in IPv6 form, which only objects have that are older than the validation that refuses both.
 */

export function addressWarnings(address: string, path: string): readonly string[] {
  const canonical = canonicalAddress(address);
  return canonical === undefined || canonical === address
    ? []
    : [`${path}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** The same of `address/prefix length`. */
export function cidrWarnings(cidr: string, path: string): readonly string[] {
  const [address = '', length = ''] = cidr.split('/');
  const canonical = canonicalAddress(address);
  return canonical === undefined || canonical === address
    ? []
    : [
        `${path}: IPv6 CIDR value "${cidr}" should be in RFC 5952 canonical format ("${canonical}/${length}")`,
      ];
}

/** Undefined when it is no IPv6 address, or one within a zone. */
function canonicalAddress(address: string): string | undefined {
  if (!isIPv6(address) || address.includes('%')) {
    return undefined;
  }
  // URLs have the form of the RFC, in brackets.
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
