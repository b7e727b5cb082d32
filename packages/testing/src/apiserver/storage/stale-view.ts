import type { Fault } from '../http/faults.ts';
import type { ServerState } from '../rest/server-state.ts';
import type { Storage } from './storage.ts';

/** The server as a lagging replica would show it: reads from an earlier revision, writes and live events as they are. */
export function staleView(state: ServerState, faults: readonly Fault[]): ServerState {
  const fault = faults.find((candidate) => candidate.kind === 'stale');
  if (fault === undefined) {
    return state;
  }
  const { storage } = state;
  const wanted = fault.revision ?? storage.revision - (fault.behind ?? 1);
  const revision = Math.max(wanted, storage.compactRevision, 1);
  const stale: Storage = {
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
  return { ...state, storage: stale };
}
