import { type FieldError, invalid, notSupported } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { goValue } from '../go-diff.ts';
import { type Profile, validateAppArmor, validateSeccomp } from './confinement.ts';
import { validateSysctls } from './sysctls.ts';
import { type WindowsOptions, validateWindowsOptions } from './windows-options.ts';

/* Validates security contexts of pods and containers. */

export interface PodSecurity extends JsonObject {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
  sysctls?: { name: string }[];
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
  windowsOptions?: WindowsOptions;
}

export interface ContainerSecurity extends JsonObject {
  runAsUser?: number;
  runAsGroup?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] };
  procMount?: string;
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
  windowsOptions?: WindowsOptions;
}

/** The fields of a pod that restrict its security context. */
interface OnHost {
  readonly hostNetwork?: boolean;
  readonly hostIPC?: boolean;
  readonly hostPID?: boolean;
  readonly shareProcessNamespace?: boolean;
}

const greatestId = 2 ** 31 - 1;

export function validatePodSecurity(
  context: PodSecurity,
  { hostNetwork = false, hostIPC = false, hostPID = false, shareProcessNamespace = false }: OnHost,
  path: string,
): FieldError[] {
  const { supplementalGroups = [], sysctls = [] } = context;
  return [
    ...validateId(context.fsGroup, `${path}.fsGroup`),
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...supplementalGroups.flatMap((id, index) => validateId(id, `${path}.supplementalGroups[${index}]`)),
    ...(hostPID && shareProcessNamespace
      ? [
          invalid(
            `${path}.shareProcessNamespace`,
            true,
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...validateSysctls(sysctls, { network: hostNetwork, ipc: hostIPC }, `${path}.sysctls`),
    ...oneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${path}.fsGroupChangePolicy`),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
    ...oneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${path}.supplementalGroupsPolicy`),
    // MountOption needs the feature SELinuxMount, which is off by default.
    ...oneOf(context.seLinuxChangePolicy, ['Recursive'], `${path}.seLinuxChangePolicy`),
  ];
}

/** @param isHostUser whether the pod uses the host's user namespace */
export function validateContainerSecurity(
  context: ContainerSecurity,
  isHostUser: boolean,
  path: string,
): FieldError[] {
  const { procMount } = context;
  return [
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...oneOf(procMount, ['Default', 'Unmasked'], `${path}.procMount`),
    ...(isHostUser && procMount === 'Unmasked'
      ? [invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`')]
      : []),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

function validateEscalation(context: ContainerSecurity, path: string): FieldError[] {
  const { allowPrivilegeEscalation, privileged = false, capabilities } = context;
  if (allowPrivilegeEscalation !== false) {
    return [];
  }
  const wrong = (what: string): FieldError =>
    invalid(
      path,
      goValue(context, 'core.v1.SecurityContext'),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return [
    ...(privileged ? [wrong('`privileged` to true')] : []),
    ...(capabilities?.add ?? []).flatMap((capability) =>
      capability === 'CAP_SYS_ADMIN' ? [wrong('`capabilities.Add` CAP_SYS_ADMIN')] : [],
    ),
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
