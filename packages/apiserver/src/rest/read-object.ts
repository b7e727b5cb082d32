import type { KubeObject } from '../meta/kube-object.ts';
import { notFound } from '../meta/status-error.ts';
import { freshlyConverted } from '../resources/converted-entries.ts';
import { type ResourceDefinition, groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import type { Entry } from '../storage/storage.ts';
import type { ServerState } from './server-state.ts';
import { servedObject } from './stored-form.ts';

/** Returns the stored entry of an object. Throws 404. */
export function findEntry(
  { storage }: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Entry {
  const entry = storage.get(keyspaceOf(definition), definition.namespaced ? namespace : '', name);
  if (entry === undefined) {
    throw notFound(groupResource(definition), name);
  }
  return entry;
}

/** Returns the present object in the definition's form, for kinds that no webhook converts. Throws 404. */
export function readObject(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): KubeObject {
  return servedObject(definition, findEntry(server, definition, namespace, name).object);
}

/**
 * Returns the stored object in the form of the definition that serves it; calls the webhook if one converts
 * the kind. Throws 404, 500.
 */
export async function findConverted(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Promise<Entry> {
  const entry = findEntry(server, definition, namespace, name);
  if (definition.askedConversion === undefined) {
    return entry;
  }
  const [converted = entry] = await freshlyConverted(definition, [entry]);
  return converted;
}
