import { parseKey, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { ApiClient, ListOptions, Projected } from './api-client.ts';
import { listAll } from './list-all.ts';

/** Which objects {@link listNamed} looks for. */
export interface Named {
  readonly names: ReadonlySet<string>;
  /** Default: cluster-scoped objects, or those of all namespaces. */
  readonly namespace?: string;
}

/**
 * Yields the objects that have one of these names, from one list of all. It is for a caller with so many names
 * that a request for each would take too long, and for whom a name that is not yielded is proof that there is
 * no such object. Other objects that cannot be read are passed over.
 *
 * @throws UnreadableObject if one of these objects cannot be read, or an object whose name cannot be read
 *   either: it might be one of them.
 * @throws what `listAll` throws, also after objects were yielded.
 */
export async function* listNamed<T extends KubernetesObject>(
  client: Pick<ApiClient, 'listPages'>,
  resource: ApiResource<T>,
  { names, ...options }: Named & Pick<ListOptions, 'look' | 'signal'> & Projected<T>,
): AsyncGenerator<T, void, void> {
  const all = listAll(client, resource, {
    ...options,
    onUnreadable: (problem) => {
      // The namespace of an unreadable object might be missing.
      if (problem.key === undefined || names.has(parseKey(problem.key).name)) {
        throw problem;
      }
    },
  });
  for await (const each of all) {
    if (names.has(each.metadata.name)) {
      yield each;
    }
  }
}
