import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient, Projected, RequestOptions } from './api-client.ts';
import { isNotFound } from './api-error.ts';

/**
 * Reads one object from the API server itself, for a decision that must not rest on a cache.
 *
 * @returns the object at its newest state, or undefined when the API server says that it, or its namespace, is not there: 404, in a
 *   Status of reason NotFound.
 * @throws what `client.get` throws otherwise. Also for any other 404, such as the page of a proxy, or the plain text that the API server
 *   answers for a group that it does not serve: that says nothing of the object, and must not lead to a deletion.
 */
export async function find<T extends KubernetesObject>(
  client: Pick<ApiClient, 'get'>,
  resource: ApiResource<T>,
  ref: ObjectRef,
  options?: RequestOptions & Projected<T>,
): Promise<T | undefined> {
  try {
    return await client.get(resource, ref, options);
  } catch (error) {
    if (isNotFound(error)) {
      return undefined;
    }
    throw error;
  }
}
