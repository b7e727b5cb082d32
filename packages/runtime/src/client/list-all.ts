import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient, ListOptions, Projected } from './api-client.ts';

/**
 * Yields the objects of one consistent list, read page by page, so that only one page is in memory at a time.
 * The first page is requested when the iteration begins; a loop that is left early requests no more.
 *
 *     for await (const pod of listAll(client, pods, { namespace, projection: slimPod, signal })) { ... }
 *
 * @param options `limit` is the size of a page; default: 500.
 * @throws what `client.listPages` throws, also after objects were yielded. A 410 between two pages means that
 *   the objects seen so far belong to a state that is gone, and the caller has to start over. There is no
 *   second attempt here, neither in pages nor without a limit: the work queue repeats the whole look.
 */
export async function* listAll<T extends KubernetesObject>(
  client: Pick<ApiClient, 'listPages'>,
  resource: ApiResource<T>,
  options: Omit<ListOptions, 'continue'> & Projected<T> = {},
): AsyncGenerator<T, void, void> {
  for await (const { items } of client.listPages(resource, options)) {
    yield* items;
  }
}
