import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { goValue } from '../go-diff.ts';

/* Security contexts, of pods and of containers. */

export interface SecurityFields extends JsonObject {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  supplementalGroups?: number[];
  seccompProfile?: { type?: string; localhostProfile?: string } & JsonObject;
  sysctls?: { name: string }[];
  fsGroupChangePolicy?: string;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
}

const greatestId = 2 ** 31 - 1;
const profiles = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const changePolicies = ['Always', 'OnRootMismatch'];
const procMounts = ['Default', 'Unmasked'];
const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlProblem =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

export function validatePodSecurity(context: SecurityFields | undefined, path: string): FieldError[] {
  const { fsGroup, supplementalGroups = [], sysctls = [], fsGroupChangePolicy } = context ?? {};
  const names = new Set<string>();
  return [
    ...validateId(fsGroup, `${path}.fsGroup`),
    ...supplementalGroups.flatMap((id, index) => validateId(id, `${path}.supplementalGroups[${index}]`)),
    ...validateIds(context, path),
    ...sysctls.flatMap(({ name }, index) => {
      const at = `${path}.sysctls[${index}].name`;
      const isKnown = names.has(name);
      names.add(name);
      if (name === '') {
        return [required(at)];
      }
      if (!sysctlName.test(name)) {
        return [invalid(at, name, sysctlProblem)];
      }
      return isKnown ? [duplicate(at, name)] : [];
    }),
    ...oneOf(fsGroupChangePolicy, changePolicies, `${path}.fsGroupChangePolicy`),
    ...validateSeccomp(context?.seccompProfile, `${path}.seccompProfile`),
  ];
}

export function validateContainerSecurity(context: SecurityFields | undefined, path: string): FieldError[] {
  if (context === undefined) {
    return [];
  }
  const { privileged = false, allowPrivilegeEscalation, procMount, seccompProfile } = context;
  return [
    ...validateIds(context, path),
    ...oneOf(procMount, procMounts, `${path}.procMount`),
    ...(privileged && allowPrivilegeEscalation === false
      ? [
          invalid(
            path,
            goValue(context, 'core.v1.SecurityContext'),
            'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
          ),
        ]
      : []),
    ...validateSeccomp(seccompProfile, `${path}.seccompProfile`),
  ];
}

function validateIds(context: SecurityFields | undefined, path: string): FieldError[] {
  return [
    ...validateId(context?.runAsUser, `${path}.runAsUser`),
    ...validateId(context?.runAsGroup, `${path}.runAsGroup`),
  ];
}

function validateId(id: number | undefined, at: string): FieldError[] {
  return id === undefined || (id >= 0 && id <= greatestId)
    ? []
    : [invalid(at, id, `must be between 0 and ${greatestId}, inclusive`)];
}

function oneOf(value: string | undefined, values: readonly string[], at: string): FieldError[] {
  return value === undefined || values.includes(value) ? [] : [notSupported(at, value, values)];
}

function validateSeccomp(profile: SecurityFields['seccompProfile'], at: string): FieldError[] {
  if (profile === undefined) {
    return [];
  }
  const { type = '', localhostProfile = '' } = profile;
  if (!profiles.includes(type)) {
    return [notSupported(`${at}.type`, type, profiles)];
  }
  return type === 'Localhost' && localhostProfile === ''
    ? [required(`${at}.localhostProfile`, 'must be set when seccomp type is Localhost')]
    : [];
}
