import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient, Projected, RequestOptions } from './api-client.ts';
import { isNotFound } from './api-error.ts';

/**
 * Reads one object from the API server itself, for a decision that must not rest on a cache.
 *
 * @returns the object at its newest state, or undefined when it, its namespace or its kind is not there (404).
 * @throws what `client.get` throws, except for 404.
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
