import { withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type History, createHistory } from './history.ts';
import { roughBytes } from './rough-bytes.ts';

/*
 * The store of the objects: one sequence of revisions for everything, the current state of each keyspace, and
 * the history of changes, which yields older states and watches. It takes the place of both etcd and the
 * watch cache; no npm package keeps revisions.
 */

/** One object at one revision. Never changed in place. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject;
  /** The revision that wrote the object, which is its metadata.resourceVersion. */
  readonly revision: number;
}

/**
 * One write. For a deletion, the object is in its final state, with the revision of the deletion as its
 * resourceVersion.
 */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  readonly revision: number;
}

export type ChangeListener = (change: Change) => void;

/** The history no longer reaches back to the requested revision. */
export class CompactedError extends Error {
  readonly compactRevision: number;

  constructor(compactRevision: number) {
    super(`required revision has been compacted; the oldest one kept is ${compactRevision}`);
    this.compactRevision = compactRevision;
  }
}

/** Limits of what a storage remembers. */
export interface StorageOptions {
  /** The number of changes to keep per resource before the oldest are dropped. Default 100,000. */
  readonly historyLimit?: number;
  /**
   * How long changes are kept, in milliseconds. The newest hundred of each resource are kept longer. Default:
   * five minutes, the interval at which kube-apiserver makes etcd compact.
   */
  readonly historyAge?: number;
  /**
   * Roughly how many bytes of memory the changes of all resources may take. Beyond that, the oldest changes
   * of the largest history are dropped. Default 64 MiB.
   */
  readonly historyBytes?: number;
  /** The clock for the age of changes, replaceable in tests. Default Date.now. */
  readonly now?: () => number;
}

/**
 * A store of objects. Keyspaces are named by group and plural, such as "persistentvolumeclaims" or
 * "apps/statefulsets".
 */
export interface Storage {
  /** The revision of the latest write. */
  readonly revision: number;
  get(keyspace: string, namespace: string, name: string): Entry | undefined;
  /**
   * Returns the entries of a keyspace, or of one namespace in it, in the order of their keys, as they are now
   * or were at a revision. Throws CompactedError if history does not reach back that far.
   */
  list(keyspace: string, namespace?: string, atRevision?: number): readonly Entry[];
  /**
   * Writes the object; the new revision becomes its metadata.resourceVersion. The caller must have checked
   * what was there before.
   */
  put(keyspace: string, object: KubeObject): Entry;
  /** Removes the object and returns its final state; undefined if there was none. */
  remove(keyspace: string, namespace: string, name: string): Entry | undefined;
  /**
   * Returns all changes of a keyspace after a revision, oldest first. Throws CompactedError if some of them
   * were dropped.
   */
  changesSince(keyspace: string, revision: number): readonly Change[];
  /**
   * Calls the listener at each later change of the keyspace, or of all keyspaces, until the returned function
   * is called.
   */
  subscribe(keyspace: string | undefined, listener: ChangeListener): () => void;
  /** Drops history up to the current revision, in all keyspaces. */
  compact(): void;
  /** The revision up to which history was dropped; 0 if it is complete. */
  readonly compactRevision: number;
}

interface Bucket {
  readonly entries: Map<string, Entry>;
  sorted: readonly Entry[] | undefined;
}

interface Keyspace {
  readonly buckets: Map<string, Bucket>;
  sorted: readonly Entry[] | undefined;
  readonly history: History<Change>;
  readonly listeners: Set<ChangeListener>;
}

/** The number of changes kept in each keyspace, regardless of age. */
const leastKept = 100;

/** Creates an empty storage. */
export function createStorage(options: StorageOptions = {}): Storage {
  const {
    historyLimit = 100_000,
    historyAge = 300_000,
    historyBytes = 64 * 2 ** 20,
    now = Date.now,
  } = options;
  const keyspaces = new Map<string, Keyspace>();
  const everywhere = new Set<ChangeListener>();
  let revision = 1;
  let compactRevision = 0;
  /** The size of all histories. */
  let bytes = 0;

  function keyspaceOf(name: string): Keyspace {
    let keyspace = keyspaces.get(name);
    if (keyspace === undefined) {
      keyspace = {
        buckets: new Map(),
        sorted: undefined,
        history: createHistory<Change>(compactRevision),
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
    const { history } = keyspace;
    const time = now();
    const size = roughBytes(change.entry.object);
    history.add(change, time, size);
    bytes += size;
    forget(history, () => {
      history.forgetBefore(time - historyAge, leastKept);
      history.forgetOldest(history.length - historyLimit);
    });
    while (bytes > historyBytes) {
      const largest = largestHistory();
      if (largest.length <= 1) {
        break;
      }
      forget(largest, () => largest.forgetOldest(1));
    }
    for (const listener of keyspace.listeners) {
      listener(change);
    }
    for (const listener of everywhere) {
      listener(change);
    }
  }

  function forget(history: History<Change>, carryOut: () => void): void {
    const before = history.bytes;
    carryOut();
    bytes -= before - history.bytes;
  }

  function largestHistory(): History<Change> {
    return [...keyspaces.values()]
      .map(({ history }) => history)
      .reduce((largest, history) => (history.bytes > largest.bytes ? history : largest));
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
      const { latest, forgotten } = keyspace.history;
      if (atRevision === undefined || (atRevision >= latest && atRevision >= forgotten)) {
        return current(keyspace, namespace);
      }
      if (atRevision < forgotten) {
        throw new CompactedError(forgotten);
      }
      const past = new Map(current(keyspace, namespace).map((entry) => [keyOf(entry), entry]));
      for (const change of keyspace.history.backTo(atRevision)) {
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
      const { history } = keyspaceOf(keyspaceName);
      if (since < history.forgotten) {
        throw new CompactedError(history.forgotten);
      }
      return history.since(since);
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
      bytes = 0;
      for (const { history } of keyspaces.values()) {
        history.clear(revision);
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

/**
 * Returns the same object with its resourceVersion where Go's encoder puts it. Everything below is shared.
 */
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
