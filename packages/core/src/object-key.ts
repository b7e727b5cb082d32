import type { KubernetesObject } from './resources.ts';

/** `namespace/name`, or `name` for a cluster-scoped object: client-go's MetaNamespaceKey. */
export type ObjectKey = string;

/** Identifies an object of a given resource. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

/** An {@link ObjectRef} straight from the metadata of an object, which might have no namespace. */
export interface MetadataRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns the key of an object: `namespace/name`, or `name` if it is cluster-scoped. */
export function objectKey(object: KubernetesObject): ObjectKey {
  return keyOf(object.metadata);
}

/**
 * Returns the key for this namespace and name. Without a namespace, or with an empty one, the object is
 * cluster-scoped.
 */
export function keyOf({ namespace, name }: MetadataRef): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The inverse of {@link keyOf}.
 *
 * @throws Error if the text has more than one slash or an empty part: no object has such a key.
 */
export function parseKey(key: ObjectKey): ObjectRef {
  const parts = key.split('/');
  const [first, second] = parts;
  if (parts.length > 2 || first === undefined || first === '' || second === '') {
    throw new Error(`object key "${key}" is not of the form "namespace/name" or "name"`);
  }
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
