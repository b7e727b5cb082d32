import { objectKey, type ApiResource, type KubernetesObject, type ObjectKey } from '@holdfast/core';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { ApiClient, RequestOptions } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { listAll } from './list-all.ts';

/** From this many unreadable objects on, another list of all costs less than a request for each. */
const many = 16;

/**
 * Yields objects that could not be read in a list. If there are many, it reads them with a second list, whole
 * and in JSON, because thousands of requests one after the other would take longer than the caller can wait.
 * Yielded objects have a name, and otherwise any shape.
 *
 * @param problems what the first list could not read.
 * @yields the objects that the second list has.
 * @returns the names that the caller has to request one by one.
 * @throws what the client throws, except for a response that is not JSON; see `listAll` for a 410 between two
 *   pages.
 */
export async function* listedWhole<T extends KubernetesObject>(
  client: Pick<ApiClient, 'listPages'>,
  resource: ApiResource<T>,
  problems: readonly UnreadableObject[],
  options: Pick<RequestOptions, 'look' | 'signal'> = {},
): AsyncGenerator<T, readonly ObjectKey[], void> {
  const names = new Set(problems.flatMap(({ key }) => key ?? []));
  return names.size < many ? [...names] : yield* listedByName(client, resource, names, options);
}

/**
 * Yields the objects with one of these names from a list of all, whole and in JSON. An unreadable object
 * might be listed under another name than the one by which it can be requested. So it is no proof that an
 * object is gone if there is nothing of its name.
 *
 * @returns the names of those that might exist and could not be read.
 * @throws what the client throws, except for a response that is not JSON; see `listAll` for a 410 between two
 *   pages.
 */
export async function* listedByName<T extends KubernetesObject>(
  client: Pick<ApiClient, 'listPages'>,
  resource: ApiResource<T>,
  names: Iterable<ObjectKey>,
  options: Pick<RequestOptions, 'look' | 'signal'> = {},
): AsyncGenerator<T, readonly ObjectKey[], void> {
  const wanted = new Set(names);
  if (wanted.size === 0) {
    return [];
  }
  const odd = new Set<ObjectKey>();
  try {
    for await (const each of listAll(client, resource, {
      ...options,
      onUnreadable: ({ key = '' }) => odd.add(key),
    })) {
      if (wanted.delete(objectKey(each))) {
        yield each;
      }
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ApiError) {
      throw error;
    }
    return [...wanted];
  }
  // All others are gone, unless one of them lost its name on the way.
  return [...wanted].filter((name) => odd.has(name) || odd.has(''));
}
