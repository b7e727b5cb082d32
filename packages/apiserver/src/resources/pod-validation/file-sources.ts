import { append } from '../../meta/append.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import {
  type FieldReference,
  type ResourceReference,
  validateFieldReference,
  validateResourceReference,
} from './field-references.ts';
import { validateItemPath } from './paths.ts';

/*
 * Validates the volume sources whose files the kubelet writes: config maps, secrets, fields of the pod,
 * tokens.
 */

interface KeyToPath extends JsonObject {
  key: string;
  path: string;
  mode?: number;
}

export interface KeyedSource extends JsonObject {
  name?: string;
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
}

export interface DownwardItem extends JsonObject {
  path: string;
  fieldRef?: FieldReference;
  resourceFieldRef?: ResourceReference;
  mode?: number;
}

export interface DownwardSource extends JsonObject {
  items?: DownwardItem[];
  defaultMode?: number;
}

interface Token extends JsonObject {
  path: string;
  expirationSeconds?: number;
}

export interface VolumeProjection extends JsonObject {
  configMap?: { name?: string; items?: KeyToPath[] };
  secret?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: Token;
}

export interface ProjectedSource extends JsonObject {
  sources: VolumeProjection[] | null;
  defaultMode?: number;
}

const greatestMode = 0o777;
const shortestToken = 600;
const longestToken = 2 ** 32;
/** The fields of a pod that can be written to a file. */
const fieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** @param nameField the field with the name of the config map or secret */
export function validateKeyed(
  source: KeyedSource,
  nameField: 'name' | 'secretName',
  at: string,
): FieldError[] {
  return [
    ...((source[nameField] ?? '') === '' ? [required(`${at}.${nameField}`)] : []),
    ...validateMode(source.defaultMode, `${at}.defaultMode`),
    ...(source.items ?? []).flatMap((item, index) => validateKeyToPath(item, `${at}.items[${index}]`)),
  ];
}

export function validateDownward({ items = [], defaultMode }: DownwardSource, at: string): FieldError[] {
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    // The real server's error does not say which item it is.
    ...items.flatMap((item) => validateDownwardItem(item, at)),
  ];
}

export function validateProjected({ sources, defaultMode }: ProjectedSource, at: string): FieldError[] {
  const paths = new Set<string>();
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...(sources ?? []).flatMap((source, index) => {
      const path = `${at}.sources[${index}]`;
      const { serviceAccountToken: token } = source;
      return [
        ...validateProjectedKeys(source.secret, paths, at, `${path}.secret`),
        ...validateProjectedKeys(source.configMap, paths, at, `${path}.configMap`),
        ...(source.downwardAPI?.items ?? []).flatMap((item) => [
          ...validateDownwardItem(item, `${path}.downwardAPI`),
          ...validateTakenOnce(item.path, item.path, paths, at),
        ]),
        ...(token === undefined ? [] : validateToken(token, at, `${path}.serviceAccountToken`)),
        ...(Object.keys(source).length > 1
          ? [forbiddenField(path, 'may not specify more than 1 volume type per source')]
          : []),
      ];
    }),
  ];
}

function validateProjectedKeys(
  source: VolumeProjection['configMap'],
  paths: Set<string>,
  at: string,
  path: string,
): FieldError[] {
  if (source === undefined) {
    return [];
  }
  const { name = '', items = [] } = source;
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...items.flatMap((item, index) => [
      ...validateKeyToPath(item, `${path}.items[${index}]`),
      ...validateTakenOnce(item.path, name, paths, at),
    ]),
  ];
}

/** @param shown the value in the error, which the real server reports for the volume */
function validateTakenOnce(path: string, shown: string, paths: Set<string>, at: string): FieldError[] {
  if (path === '') {
    return [];
  }
  const isTaken = paths.has(path);
  paths.add(path);
  return isTaken ? [invalid(at, shown, 'conflicting duplicate paths')] : [];
}

function validateToken({ path, expirationSeconds = 0 }: Token, volume: string, at: string): FieldError[] {
  const wrong = (problem: string): FieldError =>
    invalid(`${at}.expirationSeconds`, expirationSeconds, problem);
  return [
    ...(expirationSeconds < shortestToken ? [wrong('may not specify a duration less than 10 minutes')] : []),
    ...(expirationSeconds > longestToken
      ? [wrong('may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(path === '' ? [required(`${volume}.path`)] : validateItemPath(path, `${volume}.path`)),
  ];
}

function validateKeyToPath({ key, path, mode }: KeyToPath, at: string): FieldError[] {
  return [
    ...(key === '' ? [required(`${at}.key`)] : []),
    ...(path === '' ? [required(`${at}.path`)] : []),
    ...validateItemPath(path, `${at}.path`),
    ...validateMode(mode, `${at}.mode`),
  ];
}

function validateDownwardItem(
  { path, fieldRef, resourceFieldRef, mode }: DownwardItem,
  at: string,
): FieldError[] {
  const errors = [...(path === '' ? [required(`${at}.path`)] : []), ...validateItemPath(path, `${at}.path`)];
  if (fieldRef !== undefined) {
    append(errors, validateFieldReference(fieldRef, fieldPaths, `${at}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      const problem = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalid(at, 'resource', problem));
    }
  } else if (resourceFieldRef !== undefined) {
    append(errors, validateResourceReference(resourceFieldRef, true, `${at}.resourceFieldRef`));
  } else {
    errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...validateMode(mode, `${at}.mode`)];
}

function validateMode(mode: number | undefined, at: string): FieldError[] {
  return mode === undefined || (mode >= 0 && mode <= greatestMode)
    ? []
    : [invalid(at, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
