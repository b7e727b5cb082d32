import type { KubeObject } from '../meta/kube-object.ts';
import { type StatusError, conflict } from '../meta/status-error.ts';
import { type ResourceDefinition, groupResource } from '../resources/resource-definition.ts';
import type { WriteOptions } from './create-object.ts';

/** The keys in etcd of resources that are not stored under their plural. */
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

/** The object of a write. */
interface Target extends Pick<WriteOptions, 'namespace' | 'isDryRun'> {
  readonly name: string;
}

/**
 * Checks that the object exists and has the uid in the body of a PUT, which is a precondition. Does nothing
 * if no uid was sent.
 *
 * @throws 409 naming the key in etcd and both uids
 */
export function checkIdentity(
  definition: ResourceDefinition,
  uid: string | undefined,
  old: KubeObject | undefined,
  target: Target,
): void {
  if (uid !== undefined && uid !== old?.metadata.uid) {
    throw preconditionFailed(definition, target, 'UID', uid, old?.metadata.uid ?? '');
  }
}

/** The 409 with the message of the real server's storage. */
export function preconditionFailed(
  definition: ResourceDefinition,
  { namespace, name, isDryRun }: Target,
  field: 'UID' | 'ResourceVersion',
  wanted: string,
  is: string,
): StatusError {
  const within = definition.namespaced ? namespace : undefined;
  // In a dry run the key lacks the prefix of the storage.
  const key = [isDryRun ? '' : '/registry', prefixOf(definition), within, name]
    .filter((part) => part !== undefined)
    .join('/');
  return conflict(
    groupResource(definition),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${is}`,
  );
}
