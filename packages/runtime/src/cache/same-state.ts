import { isSameJson, type KubernetesObject } from '@holdfast/core';

/**
 * Returns whether two states of one object are the same.
 *
 * The version alone does not tell: an API server of another release, or with other feature gates, shows an object
 * that nobody has changed with other fields, because it drops or defaults them when it reads. `apiVersion` and `kind`
 * are not compared: a watch shows them, and a list leaves them out of its objects.
 *
 * After a restart of the API server all objects of a kind are compared in one go. Node's `isDeepStrictEqual` would take
 * up to six seconds for 100,000 of them, a good part of the time that a lease lasts.
 */
export function isSameState(one: KubernetesObject, other: KubernetesObject): boolean {
  return (
    one.metadata.resourceVersion === other.metadata.resourceVersion &&
    isSameJson({ ...one, ...untyped }, { ...other, ...untyped })
  );
}

const untyped = { apiVersion: undefined, kind: undefined };
