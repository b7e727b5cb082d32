import { type FieldError, invalid } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { validateDnsSubdomain } from './name-errors.ts';

/* Validates the Windows options of containers, such as the user. */

export interface WindowsOptions extends JsonObject {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
}

const longestSpec = 64;
const longestDomain = 256;
const longestUser = 104;
/** Go's [[:cntrl:]]. */
const control = /\p{Cc}/u;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

export function validateWindowsOptions(options: WindowsOptions | undefined, path: string): FieldError[] {
  if (options === undefined) {
    return [];
  }
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  return [
    ...(gmsaCredentialSpecName === undefined
      ? []
      : validateDnsSubdomain(gmsaCredentialSpecName, `${path}.gmsaCredentialSpecName`)),
    ...(gmsaCredentialSpec === undefined
      ? []
      : specProblems(gmsaCredentialSpec).map((problem) =>
          invalid(`${path}.gmsaCredentialSpec`, gmsaCredentialSpec, problem),
        )),
    ...(runAsUserName === undefined
      ? []
      : nameProblems(runAsUserName).map((problem) =>
          invalid(`${path}.runAsUserName`, runAsUserName, problem),
        )),
  ];
}

function specProblems(spec: string): string[] {
  if (spec === '') {
    return ['gmsaCredentialSpec cannot be an empty string'];
  }
  return Buffer.byteLength(spec) > longestSpec * 1024
    ? [`gmsaCredentialSpec size must be under ${longestSpec} KiB`]
    : [];
}

function nameProblems(name: string): string[] {
  if (name === '') {
    return ['runAsUserName cannot be an empty string'];
  }
  if (control.test(name)) {
    return ['runAsUserName cannot contain control characters'];
  }
  const parts = name.split('\\');
  if (parts.length > 2) {
    return ['runAsUserName cannot contain more than one backslash'];
  }
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainProblems(parts[0] ?? '') : []), ...userProblems(user)];
}

function domainProblems(domain: string): string[] {
  return [
    ...(Buffer.byteLength(domain) >= longestDomain
      ? [`runAsUserName's Domain length must be under ${longestDomain} characters`]
      : []),
    ...(netBiosName.test(domain) || dnsName.test(domain)
      ? []
      : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function userProblems(user: string): string[] {
  return [
    ...(user === '' ? ["runAsUserName's User cannot be empty"] : []),
    ...(Buffer.byteLength(user) > longestUser
      ? [`runAsUserName's User length must not be longer than ${longestUser} characters`]
      : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? [`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}
