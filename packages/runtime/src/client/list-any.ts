import type { ApiResource, KubernetesObject, ObjectKey } from '@holdfast/core';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { ApiClient, ListOptions, Projected } from './api-client.ts';
import { listAll } from './list-all.ts';
import { listedByName, listedWhole } from './listed-whole.ts';

/**
 * All objects of the cluster at their newest state, those that can't be read among them, for a decision that one of these need not hold up
 * where what it might concern can be narrowed. One that can't be read is asked for in JSON, by a list of that name alone, since `get` needs a
 * permission of its own, or of all where they are many, or where there is nothing of that name; it is yielded as it comes, in whatever shape. Where that fails too, or it has no name, nothing of it is known: it has
 * metadata alone, and its name is empty where that could not be read.
 *
 * @param resource whose objects have no namespace.
 * @throws what the client throws.
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
