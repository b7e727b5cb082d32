import { isIPv6 } from 'node:net';

/*
 * Warnings about valid IPv6 addresses that are not in the form of RFC 5952. The API server also warns about
 * leading zeros and about IPv4-mapped addresses, but only objects that are older than the validation of both
 * can have them.
 */

export function addressWarnings(address: string, path: string): readonly string[] {
  const canonical = canonicalAddress(address);
  return canonical === undefined || canonical === address
    ? []
    : [`${path}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** The same for `address/prefix length`. */
export function cidrWarnings(cidr: string, path: string): readonly string[] {
  const [address = '', length = ''] = cidr.split('/');
  const canonical = canonicalAddress(address);
  return canonical === undefined || canonical === address
    ? []
    : [
        `${path}: IPv6 CIDR value "${cidr}" should be in RFC 5952 canonical format ("${canonical}/${length}")`,
      ];
}

/** Undefined if the text is not an IPv6 address, or has a zone. */
function canonicalAddress(address: string): string | undefined {
  if (!isIPv6(address) || address.includes('%')) {
    return undefined;
  }
  // URLs format addresses as the RFC does, in brackets.
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
