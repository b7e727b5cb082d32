import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { isGivenEmpty } from '../../schema/decode.ts';
import type { PodSpec } from '../pod-spec.ts';
import { eachContainer } from './each-container.ts';

/* Validates which fields a pod may have on the operating system in its spec. */

const systems = ['linux', 'windows'];

/**
 * Fields of the server's internal security context that Windows pods must not have, with their paths in
 * errors, which name some of them as fields of the pod.
 */
const notOfWindowsPods: readonly (readonly [field: string, shown: string])[] = [
  ['appArmorProfile', 'securityContext.appArmorProfile'],
  ['seLinuxOptions', 'securityContext.seLinuxOptions'],
  ['hostUsers', 'hostUsers'],
  ['hostPID', 'hostPID'],
  ['hostIPC', 'hostIPC'],
  ['seccompProfile', 'securityContext.seccompProfile'],
  ['fsGroup', 'securityContext.fsGroup'],
  ['fsGroupChangePolicy', 'securityContext.fsGroupChangePolicy'],
  ['sysctls', 'securityContext.sysctls'],
  ['shareProcessNamespace', 'shareProcessNamespace'],
  ['runAsUser', 'securityContext.runAsUser'],
  ['runAsGroup', 'securityContext.runAsGroup'],
  ['supplementalGroups', 'securityContext.supplementalGroups'],
  ['supplementalGroupsPolicy', 'securityContext.supplementalGroupsPolicy'],
  ['seLinuxChangePolicy', 'securityContext.seLinuxChangePolicy'],
];
const notOfWindowsContainers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

export function validateOperatingSystem(spec: PodSpec, path: string): FieldError[] {
  const { os } = spec;
  switch (os?.name) {
    case undefined:
      return [];
    case '':
      return [required(`${path}.os.name`)];
    case 'linux':
      return validateLinux(spec, path);
    case 'windows':
      return validateWindows(spec, path);
    default:
      return [notSupported(`${path}.os`, os?.name, systems)];
  }
}

function validateLinux(spec: PodSpec, path: string): FieldError[] {
  const forbid = (at: string): FieldError =>
    forbiddenField(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod');
  return [
    ...(spec.securityContext?.windowsOptions === undefined ? [] : [forbid(path)]),
    ...eachContainer(spec, path).flatMap(([{ securityContext }, at]) =>
      securityContext?.windowsOptions === undefined ? [] : [forbid(at)],
    ),
  ];
}

function validateWindows(spec: PodSpec, path: string): FieldError[] {
  const forbid = (at: string): FieldError => forbiddenField(at, 'cannot be set for a windows pod');
  const { hostUsers, hostPID, hostIPC, shareProcessNamespace, securityContext = {} } = spec;
  const fields: JsonObject = { ...securityContext, hostUsers, hostPID, hostIPC, shareProcessNamespace };
  return [
    ...notOfWindowsPods.flatMap(([field, shown]) => {
      const isGiven =
        fields[field] !== undefined ||
        (field === 'supplementalGroups' && isGivenEmpty(securityContext, field));
      return isGiven ? [forbid(`${path}.${shown}`)] : [];
    }),
    ...eachContainer(spec, path).flatMap(([{ securityContext: context = {} }, at]) =>
      notOfWindowsContainers.flatMap((field) =>
        context[field] === undefined ? [] : [forbid(`${at}.securityContext.${field}`)],
      ),
    ),
  ];
}

/** HostProcess containers of Windows: either all containers of a pod are such, or none is. */
export function validateHostProcesses(spec: PodSpec, path: string): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = eachContainer(spec, path).map(([{ securityContext }, at]) => ({
    own: securityContext?.windowsOptions?.hostProcess,
    at: `${at}.securityContext.windowsOptions.hostProcess`,
  }));
  const errors = containers.flatMap(({ own, at }) =>
    ofPod !== undefined && own !== undefined && own !== ofPod
      ? [invalid(at, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`)]
      : [],
  );
  const count = containers.filter(({ own = ofPod }) => own === true).length;
  if (count === 0) {
    return errors;
  }
  const isOnHost = spec.hostNetwork === true;
  return [
    ...errors,
    ...(count === containers.length
      ? []
      : [
          invalid(
            path,
            '',
            'If pod contains any hostProcess containers then all containers must be HostProcess containers',
          ),
        ]),
    ...(isOnHost
      ? []
      : [
          invalid(
            `${path}.hostNetwork`,
            false,
            'hostNetwork must be true if pod contains any hostProcess containers',
          ),
        ]),
  ];
}
