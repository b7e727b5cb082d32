import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';

/* What is sent must be what the path names. */

/** Throws 400 unless the object has the name of the path. */
export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name;
  if (given === undefined) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** Gives the object the namespace of the path, or none where its kind has none. Throws 400 when it names another. */
export function ensureNamespace(definition: ResourceDefinition, object: KubeObject, namespace: string): void {
  const { metadata } = object;
  if (!definition.namespaced) {
    delete metadata.namespace;
  } else if (metadata.namespace === undefined) {
    metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
