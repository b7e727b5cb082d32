import type { ResourceRequest } from '@holdfast/apiserver';
import type { Sent, Upstream } from './upstream.ts';

/*
 * What an API server whose watch cache is behind shows, made of what any API server can be asked for: a list at an exact revision, and a
 * watch from there.
 *
 * | request                                        | answered from                |
 * |------------------------------------------------|------------------------------|
 * | list, resourceVersion=0                        | the cache                    |
 * | watch with the initial state (streamed list)   | the cache                    |
 * | watch, resourceVersion unset or 0              | the cache                    |
 * | watch, resourceVersion=N                       | the cache, by what passes    |
 * | list without resourceVersion, get              | etcd (a quorum read)         |
 * | list at N                                      | etcd: not older than N       |
 *
 * A streamed list without a resourceVersion should wait for the cache to catch up, where the API server can ask etcd for its revision
 * (KEP-3157). It is counted among the reads of the cache all the same, as releases did and load balancers do: an operator that is
 * safe with an old state at its start is safe with a new one.
 */

/** Whether a request begins with the state of the cache. */
export function isFromCache({ verb, query }: ResourceRequest): boolean {
  const version = query.get('resourceVersion') ?? '';
  switch (verb) {
    case 'list':
      return version === '0';
    case 'watch':
      return version === '' || version === '0';
    default:
      return false;
  }
}

/** The list that shows the cache at the revision, where one of the cache is asked for; otherwise what was sent. */
export function staleList(sent: Sent, request: ResourceRequest, revision: number | undefined): Sent {
  if (revision === undefined || request.verb !== 'list' || !isFromCache(request)) {
    return sent;
  }
  return { ...sent, path: listAt(request, revision) };
}

/** What a watch begins with, and how it goes on, when the cache stands at a revision. */
export interface StaleWatch {
  /** As the lines of a watch. */
  readonly state: readonly string[];
  /** Of the watch from there. */
  readonly path: string;
}

/** @throws when the revision can't be listed any more */
export async function staleWatch(
  upstream: Upstream,
  sent: Sent,
  request: ResourceRequest,
  revision: number,
): Promise<StaleWatch> {
  const { code, body } = await upstream.ask({ ...sent, path: listAt(request, revision) });
  if (code !== 200) {
    throw new Error(`the state at revision ${String(revision)} can't be listed: ${body.toString()}`);
  }
  const { kind, apiVersion, items } = JSON.parse(body.toString()) as {
    readonly kind: string;
    readonly apiVersion: string;
    readonly items: readonly object[] | null;
  };
  const type = { kind: kind.replace(/List$/, ''), apiVersion };
  const state = (items ?? []).map((item) => JSON.stringify({ type: 'ADDED', object: { ...type, ...item } }));
  const query = new URLSearchParams(request.query);
  const endsState = query.get('sendInitialEvents') === 'true';
  query.delete('sendInitialEvents');
  query.delete('resourceVersionMatch');
  query.set('resourceVersion', String(revision));
  const metadata = {
    resourceVersion: String(revision),
    annotations: { 'k8s.io/initial-events-end': 'true' },
  };
  return {
    state: endsState
      ? [...state, JSON.stringify({ type: 'BOOKMARK', object: { ...type, metadata } })]
      : state,
    path: `${request.path}?${query.toString()}`,
  };
}

function listAt({ path, query }: ResourceRequest, revision: number): string {
  const exact = new URLSearchParams({
    resourceVersion: String(revision),
    resourceVersionMatch: 'Exact',
  });
  for (const selector of ['labelSelector', 'fieldSelector']) {
    const value = query.get(selector);
    if (value !== null) {
      exact.set(selector, value);
    }
  }
  return `${path}?${exact.toString()}`;
}
