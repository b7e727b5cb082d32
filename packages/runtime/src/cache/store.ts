import { objectKey, type KubernetesObject, type ObjectKey } from '@holdfast/core';

/**
 * Returns the values under which an index has an object; there can be none or many. Must be pure: it is called again
 * when the object leaves the store, to find where the index has it.
 */
export type IndexFunction<T> = (object: T) => readonly string[];

/** The known objects of one resource, by key or by index. Objects are never changed in place. */
export interface Store<T> {
  get(key: ObjectKey): T | undefined;
  /** All objects, in no order. */
  values(): IterableIterator<T>;
  readonly size: number;
  /**
   * Returns the objects that the index has under the value, in no particular order.
   *
   * @param limit at most this many: users can put any number of objects under one value. Default: all.
   * @throws Error if the store has no index of that name.
   */
  byIndex(index: string, value: string, limit?: number): readonly T[];
}

/** The write access that the informer has to a store. */
export interface MutableStore<T> extends Store<T> {
  /** @throws what an index function throws; the store is then unchanged. */
  set(object: T): void;
  delete(key: ObjectKey): void;
}

/** The objects that an index has under one value: a set of one key takes ten times as much memory as the key. */
type Entry = ObjectKey | Set<ObjectKey>;

/** Creates a store keyed by namespace and name, with secondary indexes that are updated at every change. */
export function createStore<T extends KubernetesObject>(
  indexFunctions: Readonly<Record<string, IndexFunction<T>>> = {},
): MutableStore<T> {
  const objects = new Map<ObjectKey, T>();
  const indexes = new Map(
    Object.entries(indexFunctions).map(([name, keysOf]) => [
      name,
      { keysOf, entries: new Map<string, Entry>() },
    ]),
  );

  const unindex = (key: ObjectKey, object: T): void => {
    for (const { keysOf, entries } of indexes.values()) {
      for (const value of keysOf(object)) {
        const entry = entries.get(value);
        if (entry instanceof Set) {
          entry.delete(key);
        }
        if (entry === key || (entry instanceof Set && entry.size === 0)) {
          entries.delete(value);
        }
      }
    }
  };

  return {
    get: (key) => objects.get(key),
    values: () => objects.values(),
    get size() {
      return objects.size;
    },
    byIndex: (name, value, limit = Infinity) => {
      const index = indexes.get(name);
      if (index === undefined) {
        throw new Error(
          `the store has no index "${name}"; it has ${[...indexes.keys()].join(', ') || 'none'}`,
        );
      }
      const entry = index.entries.get(value) ?? [];
      const found: T[] = [];
      for (const key of typeof entry === 'string' ? [entry] : entry) {
        if (found.length >= limit) {
          break;
        }
        const object = objects.get(key);
        if (object !== undefined) {
          found.push(object);
        }
      }
      return found;
    },
    set: (object) => {
      const key = objectKey(object);
      // This runs before anything changes, because an index function throws on an object that lacks the shape
      // of its kind.
      const valuesOf = [...indexes.values()].map(({ keysOf, entries }) => ({
        values: keysOf(object),
        entries,
      }));
      const old = objects.get(key);
      if (old !== undefined) {
        unindex(key, old);
      }
      objects.set(key, object);
      for (const { values, entries } of valuesOf) {
        for (const value of values) {
          const entry = entries.get(value) ?? key;
          if (entry instanceof Set) {
            entry.add(key);
          } else {
            entries.set(value, entry === key ? key : new Set([entry, key]));
          }
        }
      }
    },
    delete: (key) => {
      const old = objects.get(key);
      if (old !== undefined) {
        unindex(key, old);
        objects.delete(key);
      }
    },
  };
}
