import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { validateAddress } from '../addresses.ts';

/* What a pod is called, and how it finds others. */

export interface HostNameFields extends JsonObject {
  hostname?: string;
  subdomain?: string;
  hostAliases?: { ip: string; hostnames?: string[] }[];
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string }[] };
}

const mostServers = 3;
const searchPath = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const searchProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

export function validateHostNames(spec: HostNameFields, path: string): FieldError[] {
  const { hostname = '', subdomain = '', hostAliases = [], dnsPolicy, dnsConfig } = spec;
  const label = (value: string, field: string): FieldError[] =>
    value === '' ? [] : dnsLabel(value, false).map((problem) => invalid(`${path}.${field}`, value, problem));
  return [
    ...label(hostname, 'hostname'),
    ...label(subdomain, 'subdomain'),
    ...hostAliases.flatMap(({ ip, hostnames = [] }, index) => {
      const at = `${path}.hostAliases[${index}]`;
      return [
        ...validateAddress(ip, `${at}.ip`),
        ...hostnames.flatMap((name, position) =>
          dnsSubdomain(name, false).map((problem) => invalid(`${at}.hostnames[${position}]`, name, problem)),
        ),
      ];
    }),
    ...validateResolver(dnsPolicy, dnsConfig, `${path}.dnsConfig`),
  ];
}

function validateResolver(
  policy: string | undefined,
  config: HostNameFields['dnsConfig'],
  at: string,
): FieldError[] {
  if (config === undefined) {
    return policy === 'None' ? [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  }
  const { nameservers = [], searches = [], options = [] } = config;
  return [
    ...(policy === 'None' && nameservers.length === 0
      ? [required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
      : []),
    ...(nameservers.length > mostServers
      ? [invalid(`${at}.nameservers`, [...nameservers], `must not have more than ${mostServers} nameservers`)]
      : []),
    ...nameservers.flatMap((server, index) => validateAddress(server, `${at}.nameservers[${index}]`)),
    ...searches.flatMap((search, index) =>
      search === '.' || searchPath.test(search.replace(/\.$/, ''))
        ? []
        : [invalid(`${at}.searches[${index}]`, search, searchProblem)],
    ),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${at}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}
