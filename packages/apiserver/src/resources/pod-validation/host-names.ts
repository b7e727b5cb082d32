import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { validateAddress } from '../addresses.ts';
import { validateDnsLabel, validateDnsSubdomain } from './name-errors.ts';

/* Validates host names, and how a pod resolves other names. */

export interface HostNameFields extends JsonObject {
  hostname?: string;
  subdomain?: string;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  hostNetwork?: boolean;
  hostAliases?: { ip: string; hostnames?: string[] }[];
  dnsPolicy?: string;
  dnsConfig?: Resolver;
}

interface Resolver extends JsonObject {
  nameservers?: string[];
  searches?: string[];
  options?: { name?: string }[];
}

const mostServers = 3;
const mostSearches = 32;
const longestSearches = 2048;
const longestHostname = 64;
const longestSearch = 253;
const searchPath = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const searchProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

/** Validates the name by which others reach the pod. */
export function validateHostNames(
  { hostname = '', subdomain = '' }: HostNameFields,
  path: string,
): FieldError[] {
  return [
    ...(hostname === '' ? [] : validateDnsLabel(hostname, `${path}.hostname`)),
    ...(subdomain === '' ? [] : validateDnsLabel(subdomain, `${path}.subdomain`)),
  ];
}

/** Validates the host name that the pod itself sees. */
export function validateHostnameOverride(spec: HostNameFields, path: string): FieldError[] {
  const { hostnameOverride: name, setHostnameAsFQDN = false, hostNetwork = false } = spec;
  if (name === undefined) {
    return [];
  }
  const at = `${path}.hostnameOverride`;
  return [
    ...(setHostnameAsFQDN ? [forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(hostNetwork ? [forbiddenField(at, 'may not be specified when hostNetwork is true')] : []),
    ...(name.length > longestHostname ? [tooLong(at, longestHostname)] : []),
    ...validateDnsSubdomain(name, at),
  ];
}

export function validateHostAliases({ hostAliases = [] }: HostNameFields, path: string): FieldError[] {
  return hostAliases.flatMap(({ ip, hostnames = [] }, index) => {
    const at = `${path}.hostAliases[${index}]`;
    return [
      ...validateAddress(ip, `${at}.ip`),
      ...hostnames.flatMap((name, position) => validateDnsSubdomain(name, `${at}.hostnames[${position}]`)),
    ];
  });
}

export function validateResolver(
  { dnsPolicy, dnsConfig: config }: HostNameFields,
  path: string,
): FieldError[] {
  const at = `${path}.dnsConfig`;
  if (config === undefined) {
    return dnsPolicy === 'None' ? [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  }
  const { nameservers = [], options = [] } = config;
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    const problem = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [required(`${at}.nameservers`, problem)];
  }
  return [
    ...(nameservers.length > mostServers
      ? [invalid(`${at}.nameservers`, nameservers, `must not have more than ${mostServers} nameservers`)]
      : []),
    ...nameservers.flatMap((server, index) => validateAddress(server, `${at}.nameservers[${index}]`)),
    ...validateSearches(config.searches ?? [], `${at}.searches`),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${at}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function validateSearches(searches: string[], at: string): FieldError[] {
  return [
    ...(searches.length > mostSearches
      ? [invalid(at, searches, `must not have more than ${mostSearches} search paths`)]
      : []),
    ...(searches.join(' ').length > longestSearches
      ? [
          invalid(
            at,
            searches,
            `must not have more than ${longestSearches} characters (including spaces) in the search list`,
          ),
        ]
      : []),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : validateSearch(search.replace(/\.$/, ''), `${at}[${index}]`),
    ),
  ];
}

function validateSearch(search: string, at: string): FieldError[] {
  return [
    ...(search.length > longestSearch
      ? [invalid(at, search, `must be no more than ${longestSearch} characters`)]
      : []),
    ...(searchPath.test(search) ? [] : [invalid(at, search, searchProblem)]),
  ];
}
