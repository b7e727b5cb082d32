import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { compareQuantities } from '../../schema/quantity.ts';

/* The sources of volumes that need no more than a look at their fields. */

interface KeyToPath {
  key?: string;
  path: string;
  fieldRef?: JsonObject;
  resourceFieldRef?: JsonObject;
}

interface KeyedSource extends JsonObject {
  items?: (KeyToPath & JsonObject)[];
  defaultMode?: number;
}

export interface VolumeSources extends JsonObject {
  emptyDir?: { sizeLimit?: string } & JsonObject;
  hostPath?: { path: string; type?: string };
  nfs?: { server: string; path: string } & JsonObject;
  configMap?: KeyedSource;
  secret?: KeyedSource;
  downwardAPI?: KeyedSource;
  csi?: { driver: string } & JsonObject;
  iscsi?: { targetPortal: string; iqn: string; lun: number } & JsonObject;
  image?: { reference?: string } & JsonObject;
  projected?: {
    sources: ({ serviceAccountToken?: { path: string; expirationSeconds?: number } } & JsonObject)[] | null;
    defaultMode?: number;
  };
}

const greatestMode = 0o777;
const shortestToken = 600;
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateVolumeSources(volume: VolumeSources, path: string): FieldError[] {
  const { emptyDir, hostPath, nfs, configMap, secret, downwardAPI, csi, image, iscsi } = volume;
  const errors: FieldError[] = [];
  if (emptyDir?.sizeLimit !== undefined && compareQuantities(emptyDir.sizeLimit, '0') < 0) {
    const problem = 'SizeLimit field must be a valid resource quantity';
    errors.push(forbiddenField(`${path}.emptyDir.sizeLimit`, problem));
  }
  if (hostPath !== undefined) {
    if (hasBackstep(hostPath.path)) {
      errors.push(invalid(`${path}.hostPath.path`, hostPath.path, "must not contain '..'"));
    }
    if (hostPath.type !== undefined && !hostPathTypes.includes(hostPath.type)) {
      errors.push(notSupported(`${path}.hostPath.type`, hostPath.type, hostPathTypes));
    }
  }
  if (nfs !== undefined) {
    errors.push(...validateNfs(nfs, `${path}.nfs`));
  }
  errors.push(
    ...validateKeyed(configMap, `${path}.configMap`),
    ...validateKeyed(secret, `${path}.secret`),
    ...validateDownward(downwardAPI, `${path}.downwardAPI`),
  );
  if (csi?.driver === '') {
    errors.push(required(`${path}.csi.driver`));
  }
  if (iscsi !== undefined) {
    errors.push(...validateIscsi(iscsi, `${path}.iscsi`));
  }
  if (image !== undefined && (image.reference ?? '') === '') {
    errors.push(required(`${path}.image.reference`));
  }
  return [...errors, ...validateProjected(volume.projected, `${path}.projected`)];
}

function hasBackstep(path: string): boolean {
  return path.split('/').includes('..');
}

function validateNfs({ server, path }: { server: string; path: string }, at: string): FieldError[] {
  if (path === '') {
    return [...(server === '' ? [required(`${at}.server`)] : []), required(`${at}.path`)];
  }
  return [
    ...(server === '' ? [required(`${at}.server`)] : []),
    ...(path.startsWith('/') ? [] : [invalid(`${at}.path`, path, 'must be an absolute path')]),
  ];
}

function validateIscsi(
  { targetPortal, iqn, lun }: { targetPortal: string; iqn: string; lun: number },
  at: string,
): FieldError[] {
  const isName = /^(iqn|eui|naa)/.test(iqn);
  return [
    ...(targetPortal === '' ? [required(`${at}.targetPortal`)] : []),
    ...(iqn === '' ? [required(`${at}.iqn`)] : []),
    ...(iqn !== '' && !isName
      ? [invalid(`${at}.iqn`, iqn, 'must be valid format starting with iqn, eui, or naa')]
      : []),
    ...(lun >= 0 && lun <= 255 ? [] : [invalid(`${at}.lun`, lun, 'must be between 0 and 255, inclusive')]),
  ];
}

function validateMode(mode: number | undefined, at: string): FieldError[] {
  return mode === undefined || (mode >= 0 && mode <= greatestMode)
    ? []
    : [invalid(`${at}.defaultMode`, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

function validateKeyed(source: KeyedSource | undefined, at: string): FieldError[] {
  return [
    ...validateMode(source?.defaultMode, at),
    ...(source?.items ?? []).flatMap(({ key = '', path }, index) => [
      ...(key === '' ? [required(`${at}.items[${index}].key`)] : []),
      ...validateItemPath(path, `${at}.items[${index}].path`),
    ]),
  ];
}

function validateDownward(source: KeyedSource | undefined, at: string): FieldError[] {
  return [
    ...validateMode(source?.defaultMode, at),
    ...(source?.items ?? []).flatMap(({ path, fieldRef, resourceFieldRef }) => [
      ...validateItemPath(path, `${at}.path`),
      ...(fieldRef === undefined && resourceFieldRef === undefined
        ? [required(at, 'one of fieldRef and resourceFieldRef is required')]
        : []),
    ]),
  ];
}

function validateItemPath(path: string, at: string): FieldError[] {
  if (path === '') {
    return [required(at)];
  }
  return [
    ...(path.startsWith('/') ? [invalid(at, path, 'must be a relative path')] : []),
    ...(hasBackstep(path) ? [invalid(at, path, "must not contain '..'")] : []),
    ...(path.startsWith('..') && !path.startsWith('../') && path !== '..'
      ? [invalid(at, path, "must not start with '..'")]
      : []),
  ];
}

function validateProjected(projected: VolumeSources['projected'], at: string): FieldError[] {
  return [
    ...validateMode(projected?.defaultMode, at),
    ...(projected?.sources ?? []).flatMap(({ serviceAccountToken: token }, index) => {
      const path = `${at}.sources[${index}].serviceAccountToken`;
      return token?.expirationSeconds !== undefined && token.expirationSeconds < shortestToken
        ? [
            invalid(
              `${path}.expirationSeconds`,
              token.expirationSeconds,
              'may not specify a duration less than 10 minutes',
            ),
          ]
        : [];
    }),
  ];
}
