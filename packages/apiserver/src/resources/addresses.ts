import { isIP } from 'node:net';
import { type FieldError, invalid } from '../meta/field-error.ts';

/* Addresses and networks, in upstream's words. */

export const addressProblem = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export function validateAddress(address: string, path: string): FieldError[] {
  return isIP(address) === 0 ? [invalid(path, address, addressProblem)] : [];
}

export function validateNetwork(network: string, path: string): FieldError[] {
  const [address = '', bits = '', ...more] = network.split('/');
  const family = isIP(address);
  const isNetwork =
    more.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return isNetwork
    ? []
    : [invalid(path, network, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}
