import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';

/* Checks that the object in a request is the one that the path names. */

/** Throws 400 unless the object has the name in the path. */
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

/**
 * Sets the object's namespace to that of the path, or removes it for cluster-scoped kinds. Throws 400 if the
 * object names another namespace.
 */
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
