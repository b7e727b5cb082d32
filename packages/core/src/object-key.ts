import type { KubernetesObject } from './resources.ts';

/** `namespace/name`, or `name` for what has no namespace: client-go's MetaNamespaceKey. */
export type ObjectKey = string;

/** The parts of an object's address below its resource. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

/** An {@link ObjectRef} in the making: its namespace may be what the metadata of any object says, which is perhaps nothing. */
export interface MetadataRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The key of an object: `namespace/name`, or `name` of one of the cluster. */
export function objectKey(object: KubernetesObject): ObjectKey {
  return keyOf(object.metadata);
}

/** The key of the object with this namespace and name; one without a namespace, or with an empty one, is of the cluster. */
export function keyOf({ namespace, name }: MetadataRef): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The inverse of {@link keyOf}.
 *
 * @throws Error when the text has more than one slash, or an empty part: no object has such a key.
 */
export function parseKey(key: ObjectKey): ObjectRef {
  const parts = key.split('/');
  const [first, second] = parts;
  if (parts.length > 2 || first === undefined || first === '' || second === '') {
    throw new Error(`object key "${key}" is not of the form "namespace/name" or "name"`);
  }
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
