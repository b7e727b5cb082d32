import { withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';

/*
 * Where objects live: one revision sequence for everything, the current state by keyspace, and the history of changes from
 * which older states and watches are served. It stands for etcd and the watch cache in one; nothing in npm keeps revisions.
 */

/** One object at one revision. Never changed in place. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject;
  /** The revision that wrote it; its metadata.resourceVersion. */
  readonly revision: number;
}

/** One write. A deletion carries the final state with the revision of the deletion as its resourceVersion. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  readonly revision: number;
}

export type ChangeListener = (change: Change) => void;

/** History no longer reaches back to the revision asked for. */
export class CompactedError extends Error {
  readonly compactRevision: number;

  constructor(compactRevision: number) {
    super(`required revision has been compacted; the oldest one kept is ${compactRevision}`);
    this.compactRevision = compactRevision;
  }
}

/** How much a storage remembers. */
export interface StorageOptions {
  /** Changes kept per resource before the oldest are forgotten. Default 100,000. */
  readonly historyLimit?: number;
}

/** Keyspaces are named by group and plural, such as "persistentvolumeclaims" or "apps/statefulsets". */
export interface Storage {
  /** The revision of the latest write. */
  readonly revision: number;
  get(keyspace: string, namespace: string, name: string): Entry | undefined;
  /**
   * The entries of a keyspace, or of one namespace in it, in the order of their keys, now or as they were at a revision.
   * Throws CompactedError when history does not reach back that far.
   */
  list(keyspace: string, namespace?: string, atRevision?: number): readonly Entry[];
  /** Writes the object; the new revision becomes its metadata.resourceVersion. The caller has checked what was there. */
  put(keyspace: string, object: KubeObject): Entry;
  /** Removes the object and gives back its final state, or undefined when there was none. */
  remove(keyspace: string, namespace: string, name: string): Entry | undefined;
  /** All changes of a keyspace after a revision, oldest first. Throws CompactedError when some were forgotten. */
  changesSince(keyspace: string, revision: number): readonly Change[];
  /** Calls the listener at each later change of the keyspace, or of all, until the returned function is called. */
  subscribe(keyspace: string | undefined, listener: ChangeListener): () => void;
  /** Forgets history up to the current revision, in all keyspaces. */
  compact(): void;
  /** The revision up to which history was forgotten; 0 when it is whole. */
  readonly compactRevision: number;
}

interface Bucket {
  readonly entries: Map<string, Entry>;
  sorted: readonly Entry[] | undefined;
}

interface Keyspace {
  readonly buckets: Map<string, Bucket>;
  sorted: readonly Entry[] | undefined;
  history: Change[];
  /** Changes up to this revision are forgotten. */
  forgotten: number;
  readonly listeners: Set<ChangeListener>;
}

/** An empty storage. */
export function createStorage(options: StorageOptions = {}): Storage {
  const historyLimit = options.historyLimit ?? 100_000;
  const keyspaces = new Map<string, Keyspace>();
  const everywhere = new Set<ChangeListener>();
  let revision = 1;
  let compactRevision = 0;

  function keyspaceOf(name: string): Keyspace {
    let keyspace = keyspaces.get(name);
    if (keyspace === undefined) {
      keyspace = {
        buckets: new Map(),
        sorted: undefined,
        history: [],
        forgotten: compactRevision,
        listeners: new Set(),
      };
      keyspaces.set(name, keyspace);
    }
    return keyspace;
  }

  function bucketOf(keyspace: Keyspace, namespace: string): Bucket {
    let bucket = keyspace.buckets.get(namespace);
    if (bucket === undefined) {
      bucket = { entries: new Map(), sorted: undefined };
      keyspace.buckets.set(namespace, bucket);
    }
    return bucket;
  }

  function record(keyspace: Keyspace, change: Change): void {
    keyspace.history.push(change);
    if (keyspace.history.length > historyLimit * 1.25) {
      const dropped = keyspace.history.splice(0, keyspace.history.length - historyLimit);
      keyspace.forgotten = dropped.at(-1)?.revision ?? keyspace.forgotten;
    }
    for (const listener of keyspace.listeners) {
      listener(change);
    }
    for (const listener of everywhere) {
      listener(change);
    }
  }

  function current(keyspace: Keyspace, namespace: string | undefined): readonly Entry[] {
    if (namespace !== undefined) {
      const bucket = keyspace.buckets.get(namespace);
      if (bucket === undefined) {
        return [];
      }
      return (bucket.sorted ??= [...bucket.entries.values()].sort(byKey));
    }
    return (keyspace.sorted ??= [...keyspace.buckets.keys()]
      .sort((a, b) => compare(`${a}/`, `${b}/`))
      .flatMap((name) => current(keyspace, name)));
  }

  return {
    get revision() {
      return revision;
    },
    get compactRevision() {
      return compactRevision;
    },
    get(keyspaceName, namespace, name) {
      return keyspaceOf(keyspaceName).buckets.get(namespace)?.entries.get(name);
    },
    list(keyspaceName, namespace, atRevision) {
      const keyspace = keyspaceOf(keyspaceName);
      const latest = keyspace.history.at(-1)?.revision ?? 0;
      if (atRevision === undefined || (atRevision >= latest && atRevision >= keyspace.forgotten)) {
        return current(keyspace, namespace);
      }
      if (atRevision < keyspace.forgotten) {
        throw new CompactedError(keyspace.forgotten);
      }
      const past = new Map(current(keyspace, namespace).map((entry) => [keyOf(entry), entry]));
      for (let index = keyspace.history.length - 1; index >= 0; index--) {
        const change = keyspace.history[index];
        if (change === undefined || change.revision <= atRevision) {
          break;
        }
        if (namespace !== undefined && change.entry.namespace !== namespace) {
          continue;
        }
        if (change.previous === undefined) {
          past.delete(keyOf(change.entry));
        } else {
          past.set(keyOf(change.entry), change.previous);
        }
      }
      return [...past.values()].sort(byKey);
    },
    put(keyspaceName, object) {
      const keyspace = keyspaceOf(keyspaceName);
      const namespace = object.metadata.namespace ?? '';
      const name = object.metadata.name ?? '';
      const bucket = bucketOf(keyspace, namespace);
      const previous = bucket.entries.get(name);
      revision += 1;
      const entry: Entry = { namespace, name, object: withRevision(object, revision), revision };
      bucket.entries.set(name, entry);
      bucket.sorted = undefined;
      keyspace.sorted = undefined;
      record(keyspace, { type: previous === undefined ? 'ADDED' : 'MODIFIED', entry, previous, revision });
      return entry;
    },
    remove(keyspaceName, namespace, name) {
      const keyspace = keyspaceOf(keyspaceName);
      const bucket = bucketOf(keyspace, namespace);
      const previous = bucket.entries.get(name);
      if (previous === undefined) {
        return undefined;
      }
      revision += 1;
      bucket.entries.delete(name);
      bucket.sorted = undefined;
      keyspace.sorted = undefined;
      const entry: Entry = { namespace, name, object: withRevision(previous.object, revision), revision };
      record(keyspace, { type: 'DELETED', entry, previous, revision });
      return entry;
    },
    changesSince(keyspaceName, since) {
      const keyspace = keyspaceOf(keyspaceName);
      if (since < keyspace.forgotten) {
        throw new CompactedError(keyspace.forgotten);
      }
      const { history } = keyspace;
      let low = 0;
      let high = history.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((history[middle]?.revision ?? 0) <= since) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return history.slice(low);
    },
    subscribe(keyspaceName, listener) {
      const listeners = keyspaceName === undefined ? everywhere : keyspaceOf(keyspaceName).listeners;
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    compact() {
      compactRevision = revision;
      for (const keyspace of keyspaces.values()) {
        keyspace.history = [];
        keyspace.forgotten = revision;
      }
    },
  };
}

function keyOf(entry: Entry): string {
  return entry.namespace === '' ? entry.name : `${entry.namespace}/${entry.name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byKey(a: Entry, b: Entry): number {
  return a.namespace === b.namespace
    ? compare(a.name, b.name)
    : compare(`${a.namespace}/`, `${b.namespace}/`);
}

/** The same object with its resourceVersion in the place Go's encoder gives it; everything below is shared. */
function withRevision(object: KubeObject, revision: number): KubeObject {
  const { name, generateName, namespace, uid } = object.metadata;
  const rest = withoutFields(object.metadata, ['resourceVersion']);
  return {
    ...object,
    metadata: {
      ...(name === undefined ? undefined : { name }),
      ...(generateName === undefined ? undefined : { generateName }),
      ...(namespace === undefined ? undefined : { namespace }),
      ...(uid === undefined ? undefined : { uid }),
      resourceVersion: String(revision),
      ...rest,
    },
  };
}
