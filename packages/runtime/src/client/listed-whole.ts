import { objectKey, type ApiResource, type KubernetesObject, type ObjectKey } from '@holdfast/core';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { ApiClient, RequestOptions } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { listAll } from './list-all.ts';

/** From this many objects that can't be read on, another list of all costs less than a request for each. */
const many = 16;

/**
 * Yields objects that could not be read in a list, by a second list, whole and in JSON, where they are many: thousands of requests one after
 * the other would take longer than what waits for them may. What is yielded has a name, and any shape besides.
 *
 * @param problems what the first list could not read.
 * @yields the objects that the second list has.
 * @returns the names of those that are to be asked for one by one.
 * @throws what the client throws, but for what is no JSON.
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
 * Yields the objects that have one of these names in a list of all, whole and in JSON. An object that can't be read may be listed under
 * another name than the one by which it is to be had: that there is nothing of its name is no proof that it is gone.
 *
 * @returns the names of those that might be there, and could not be read.
 * @throws what the client throws, but for what is no JSON.
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
  // The others are gone, unless one of them has lost its name on the way.
  return [...wanted].filter((name) => odd.has(name) || odd.has(''));
}
