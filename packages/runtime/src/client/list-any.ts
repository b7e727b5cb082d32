import type { ApiResource, KubernetesObject, ObjectKey } from '@holdfast/core';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { ApiClient, ListOptions, Projected } from './api-client.ts';
import { listAll } from './list-all.ts';
import { listedByName, listedWhole } from './listed-whole.ts';

/**
 * Yields all objects of the cluster at their newest state, including those that cannot be read. It is for
 * decisions that one unreadable object need not hold up, because what it might concern can be narrowed down.
 *
 * An unreadable object is requested again in JSON and yielded in whatever shape it has. The request is a list
 * of that name alone, because `get` requires a permission of its own. If there are many such objects, or none
 * of that name is found, all objects are listed. If that fails too, or the object has no name, nothing is
 * known about it but its metadata, and its name is empty if it could not be read.
 *
 * @param resource a cluster-scoped kind.
 * @throws what the client throws, also after objects were yielded; see `listAll` for a 410 between two pages.
 */
export async function* listAny<T extends KubernetesObject>(
  client: Pick<ApiClient, 'list' | 'listPages'>,
  resource: ApiResource<T>,
  options: Pick<ListOptions, 'look' | 'signal'> & Projected<T>,
): AsyncGenerator<T, void, void> {
  const problems: UnreadableObject[] = [];
  yield* listAll(client, resource, { ...options, onUnreadable: (problem) => problems.push(problem) });
  const { look, signal } = options;
  const request = {
    ...(look === undefined ? {} : { look }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (problems.some(({ key }) => key === undefined)) {
    yield opaque('') as T;
  }
  const missing: ObjectKey[] = [];
  for (const key of yield* listedWhole(client, resource, problems, request)) {
    let isOpaque = false as boolean;
    const { items } = await client.list(resource, {
      ...request,
      fieldSelector: `metadata.name=${key}`,
      onUnreadable: () => {
        isOpaque = true;
      },
    });
    yield* items;
    if (isOpaque) {
      yield opaque(key) as T;
    } else if (items.length === 0) {
      missing.push(key);
    }
  }
  for (const key of yield* listedByName(client, resource, missing, request)) {
    yield opaque(key) as T;
  }
}

function opaque(name: string): KubernetesObject {
  return { metadata: { name, uid: '', resourceVersion: '' } };
}
