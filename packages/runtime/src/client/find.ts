import type { KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient, Projected, RequestOptions } from './api-client.ts';
import { checkIdentity, UnreadableObject, type Identity } from '../wire/unreadable-object.ts';
import { saysGone } from './api-error.ts';
import type { RefOf, Scoped } from './scope.ts';

/**
 * Reads one object from the API server itself, for a decision that must not rest on a cache.
 *
 * @returns the object at its newest state, or undefined when the API server says that it, or its namespace, is not there: 404, in a
 *   Status of reason NotFound.
 * @throws UnreadableObject when the answer is no object of this name that has a UID: by another UID, what was looked for would be gone.
 * @throws what `client.get` throws otherwise. Also for a 404 that names another object, and any other 404, such as the page of a proxy, or the plain text that the API server
 *   answers for a group that it does not serve: that says nothing of the object, and must not lead to a deletion.
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
