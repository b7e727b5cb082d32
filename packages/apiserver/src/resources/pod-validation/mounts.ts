import {
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { hasBackstep, validateDescendingPath } from './paths.ts';

/* Validates where a container has the volumes of its pod, as directories and as devices. */

export interface VolumeMount extends JsonObject {
  name: string;
  mountPath: string;
  subPath?: string;
  subPathExpr?: string;
  mountPropagation?: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
}

export interface VolumeDevice extends JsonObject {
  name: string;
  devicePath: string;
}

/** The valid volumes of a pod, by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

interface Mounting {
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly securityContext?: { privileged?: boolean };
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursions = ['Disabled', 'Enabled', 'IfPossible'];

export function validateMounts(container: Mounting, volumes: Volumes, path: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const isPrivileged = container.securityContext?.privileged === true;
  const devices = new Set(volumeDevices.map(({ name }) => name));
  const devicePaths = new Set(volumeDevices.map(({ devicePath }) => devicePath));
  const paths = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const { name, mountPath } = mount;
    const at = `${path}[${index}]`;
    const isKnown = paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.has(name) ? [] : [fieldNotFound(`${at}.name`, name)]),
      ...(mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(isKnown ? [invalid(`${at}.mountPath`, mountPath, 'must be unique')] : []),
      ...(devices.has(name) ? [invalid(`${at}.name`, name, 'must not already exist in volumeDevices')] : []),
      ...(devicePaths.has(mountPath)
        ? [invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      ...validateSubPaths(mount, path, at),
      ...validatePropagation(mount, isPrivileged, `${path}.mountPropagation`),
      ...validateRecursion(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

/** @param path of the list, because most of the real server's errors do not say which mount it is */
function validateSubPaths(
  { subPath = '', subPathExpr = '' }: VolumeMount,
  path: string,
  at: string,
): FieldError[] {
  return [
    ...validateDescendingPath(subPath, `${path}.subPath`),
    ...(subPath !== '' && subPathExpr !== ''
      ? [invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...validateDescendingPath(subPathExpr, `${path}.subPathExpr`),
  ];
}

function validatePropagation(
  { mountPropagation: given }: VolumeMount,
  isPrivileged: boolean,
  at: string,
): FieldError[] {
  if (given === undefined) {
    return [];
  }
  return [
    ...(propagations.includes(given) ? [] : [notSupported(at, given, propagations)]),
    ...(given === 'Bidirectional' && !isPrivileged
      ? [forbiddenField(at, 'Bidirectional mount propagation is available only to privileged containers')]
      : []),
  ];
}

function validateRecursion(
  { recursiveReadOnly: given, readOnly = false, mountPropagation = 'None' }: VolumeMount,
  at: string,
): FieldError[] {
  if (given === undefined || given === 'Disabled') {
    return [];
  }
  if (!recursions.includes(given)) {
    return [notSupported(at, given, recursions)];
  }
  return [
    ...(readOnly ? [] : [forbiddenField(at, 'may only be specified when readOnly is true')]),
    ...(mountPropagation === 'None'
      ? []
      : [forbiddenField(at, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

export function validateDevices(container: Mounting, volumes: Volumes, path: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const mounts = new Set(volumeMounts.map(({ name }) => name));
  const mountPaths = new Set(volumeMounts.map(({ mountPath }) => mountPath));
  const paths = new Set<string>();
  const names = new Set<string>();
  return volumeDevices.flatMap(({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const volume = volumes.get(name);
    const isBlock = volume?.['persistentVolumeClaim'] !== undefined || volume?.['ephemeral'] !== undefined;
    const isBackwards = hasBackstep(devicePath);
    const errors = [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(names.has(name) ? [invalid(`${at}.name`, name, 'must be unique')] : []),
      ...(volume !== undefined && !isBlock
        ? [
            invalid(
              `${at}.name`,
              name,
              'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
            ),
          ]
        : []),
      ...(volume === undefined ? [fieldNotFound(`${at}.name`, name)] : []),
      ...(devicePath === '' ? [required(`${at}.devicePath`)] : []),
      ...(paths.has(devicePath) ? [invalid(`${at}.devicePath`, devicePath, 'must be unique')] : []),
      ...(isBackwards ? [invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')")] : []),
      ...(mounts.has(name) ? [invalid(`${at}.name`, name, 'must not already exist in volumeMounts')] : []),
      ...(mountPaths.has(devicePath)
        ? [invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts')]
        : []),
    ];
    if (!isBackwards) {
      paths.add(devicePath);
    }
    if (name !== '') {
      names.add(name);
    }
    return errors;
  });
}
