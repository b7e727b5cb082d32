import type { KubeObject } from '../meta/kube-object.ts';
import { conflict } from '../meta/status-error.ts';
import { type ResourceDefinition, groupResource } from '../resources/resource-definition.ts';
import type { WriteOptions } from './create-object.ts';

/** Where etcd keeps what it keeps elsewhere than by its plural. */
const storedAt: Readonly<Record<string, string>> = {
  apiservices: 'apiregistration.k8s.io/apiservices',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

function prefixOf({ struct, group, plural }: ResourceDefinition): string {
  return struct === undefined ? `${group}/${plural}` : (storedAt[plural] ?? plural);
}

/**
 * A uid in the body of a PUT is a precondition: the object must be there, and have it. Nothing happens where none was sent.
 *
 * @throws 409 naming the key in etcd and both uids
 */
export function checkIdentity(
  definition: ResourceDefinition,
  uid: string | undefined,
  old: KubeObject | undefined,
  { namespace, name, isDryRun }: WriteOptions & { readonly name: string },
): void {
  if (uid === undefined || uid === old?.metadata.uid) {
    return;
  }
  const within = definition.namespaced ? namespace : undefined;
  // In a dry run the key lacks the prefix of the storage.
  const key = [isDryRun ? '' : '/registry', prefixOf(definition), within, name]
    .filter((part) => part !== undefined)
    .join('/');
  throw conflict(
    groupResource(definition),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ''}`,
  );
}
