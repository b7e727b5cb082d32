import type { Storage } from './storage.ts';

/**
 * How far a lagging replica is behind: by a number of revisions (default 1), or the revision at which it
 * stands.
 */
export interface Lag {
  readonly behind?: number;
  readonly revision?: number;
}

/**
 * The storage as a lagging replica shows it: it reads from an earlier revision, but writes and live events
 * are unchanged.
 */
export function staleView(storage: Storage, lag: Lag): Storage {
  const wanted = lag.revision ?? storage.revision - (lag.behind ?? 1);
  const revision = Math.max(wanted, storage.compactRevision, 1);
  return {
    get revision() {
      return revision;
    },
    get compactRevision() {
      return storage.compactRevision;
    },
    get: (keyspace, namespace, name) =>
      storage.list(keyspace, namespace, revision).find((entry) => entry.name === name),
    list: (keyspace, namespace, at) => storage.list(keyspace, namespace, Math.min(at ?? revision, revision)),
    changesSince: (keyspace, since) => storage.changesSince(keyspace, Math.min(since, revision)),
    put: (keyspace, object) => storage.put(keyspace, object),
    remove: (keyspace, namespace, name) => storage.remove(keyspace, namespace, name),
    subscribe: (keyspace, listener) => storage.subscribe(keyspace, listener),
    compact: () => storage.compact(),
  };
}
