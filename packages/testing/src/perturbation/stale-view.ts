import type { ResourceRequest } from '@holdfast/apiserver';
import type { Sent, Upstream } from './upstream.ts';

/*
 * Shows what an API server whose watch cache lags behind would show. It uses only requests that any API server
 * answers: a list at an exact revision, and a watch from there.
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
 * A streamed list without a resourceVersion should wait for the cache to catch up if the API server can ask
 * etcd for its revision (KEP-3157). Here it counts as a read from the cache all the same, because that is how
 * some releases answered it and what a load balancer can lead to. An operator that is safe if it starts with an
 * old state is also safe with a new one.
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

/**
 * If the request is a list from the cache, returns the request that lists at this revision; otherwise returns
 * the request unchanged.
 */
export function staleList(sent: Sent, request: ResourceRequest, revision: number | undefined): Sent {
  if (revision === undefined || request.verb !== 'list' || !isFromCache(request)) {
    return sent;
  }
  return { ...sent, path: listAt(request, revision) };
}

/** The beginning and the continuation of a watch while the cache stands at a revision. */
export interface StaleWatch {
  /** The initial state, as lines of a watch. */
  readonly state: readonly string[];
  /** The path of the watch from that revision on. */
  readonly path: string;
}

/** @throws if the revision can no longer be listed */
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
