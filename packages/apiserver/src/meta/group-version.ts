import { type Json, type JsonObject, isObject } from './json.ts';

/** Splits an apiVersion; the core group is the empty string. */
export function readGroupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Formats group, version and kind of an unstructured object as Go does. */
export function printKind({ apiVersion, kind }: JsonObject): string {
  const { group, version } = readGroupVersion(text(apiVersion));
  return `${group}/${version}, Kind=${text(kind)}`;
}

/** The name of an object in messages of managedfields, taken from the object itself. */
export function printIdentity(object: JsonObject): string {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return `${text(metadata['namespace'])}/${text(metadata['name'])}; ${printKind(object)}`;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
