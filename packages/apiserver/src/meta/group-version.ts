import { type Json, type JsonObject, isObject } from './json.ts';

/** The parts of an apiVersion; the core group is the empty one. */
export function readGroupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Go's print of an unstructured object's group, version and kind. */
export function printKind({ apiVersion, kind }: JsonObject): string {
  const { group, version } = readGroupVersion(text(apiVersion));
  return `${group}/${version}, Kind=${text(kind)}`;
}

/** What managedfields calls an object in its messages, by what the object says of itself. */
export function printIdentity(object: JsonObject): string {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return `${text(metadata['namespace'])}/${text(metadata['name'])}; ${printKind(object)}`;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
