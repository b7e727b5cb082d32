import type { KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient, Projected, RequestOptions } from './api-client.ts';
import { checkIdentity, UnreadableObject, type Identity } from '../wire/unreadable-object.ts';
import { saysGone } from './api-error.ts';
import type { RefOf, Scoped } from './scope.ts';

/**
 * Reads one object from the API server itself, for a decision that must not be based on a cache.
 *
 * @returns the object at its newest state, or undefined if the API server says that it, or its namespace,
 *   does not exist: 404 with a Status of reason NotFound.
 * @throws UnreadableObject if the response is not an object of this name with a UID. A caller that compares
 *   UIDs would otherwise consider the object gone.
 * @throws what `client.get` throws otherwise. This includes a 404 that names another object, and any other
 *   404, such as a proxy's page or the API server's plain text for a group that it does not serve. Those say
 *   nothing about the object, and must not lead to a deletion.
 */
export async function find<
  T extends KubernetesObject,
  Namespaced extends boolean = boolean,
  Ref extends ObjectRef = ObjectRef,
>(
  client: Pick<ApiClient, 'get'>,
  resource: Scoped<T, Namespaced>,
  ref: Ref & RefOf<Namespaced, Ref>,
  options?: RequestOptions & Projected<T>,
): Promise<T | undefined> {
  const wanted: ObjectRef = ref;
  try {
    const found = await client.get(resource, wanted, options);
    mustBe(wanted, found);
    return found;
  } catch (error) {
    if (saysGone(error, resource, wanted)) {
      return undefined;
    }
    throw error;
  }
}

function mustBe(ref: ObjectRef, found: Partial<KubernetesObject> | null): void {
  const metadata: Identity = found?.metadata ?? {};
  try {
    checkIdentity(metadata);
    if (metadata.name !== ref.name) {
      throw new Error('the API server answered with another object');
    }
  } catch (error) {
    throw new UnreadableObject({ ...metadata, ...ref }, error);
  }
}
