import type { KubeObject } from '../meta/kube-object.ts';
import { notFound } from '../meta/status-error.ts';
import { type ResourceDefinition, groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import type { Entry } from '../storage/storage.ts';
import type { ServerState } from './server-state.ts';
import { servedObject } from './stored-form.ts';

/** What is stored of an object. Throws 404. */
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

/** The present object in the definition's form. Throws 404. */
export function readObject(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): KubeObject {
  return servedObject(definition, findEntry(server, definition, namespace, name).object);
}
