import { createFifoSet, type FifoSet } from '../sharing/fifo-set.ts';

/**
 * Keys that wait for the same thing, in order. The cost of each operation does not depend on the number of
 * keys and groups.
 */
export interface Lane {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  /** Takes the next key or keys; empty if there is none, or all waiting keys belong to held groups. */
  take(): readonly string[];
  /** Takes no more keys of the group until it is released. Keys without groups cannot be held. */
  hold(group: string): void;
  release(group: string): void;
  clear(): void;
  /** The number of all keys, including those of held groups. */
  readonly size: number;
}

/** How many keys are taken together, and from which groups. */
export type Portion =
  /** Keys of one group, at most this many. */
  | { readonly kind: 'group'; readonly size: number }
  /** Keys of all groups, one of each in turn, at most this many. */
  | { readonly kind: 'mixed'; readonly size: number };

/** Creates a lane that hands out keys one by one, in the order in which they were added. */
export function createLane(): Lane {
  let keys = createFifoSet();
  return {
    has: (key) => keys.has(key),
    add: (key) => keys.add(key),
    delete: (key) => {
      keys.delete(key);
    },
    take: () => {
      const key = keys.shift();
      return key === undefined ? [] : [key];
    },
    hold: () => undefined,
    release: () => undefined,
    clear: () => {
      keys = createFifoSet();
    },
    get size() {
      return keys.size;
    },
  };
}

/**
 * Creates a lane in which groups take turns: they come in the order of their first key, and a group with keys
 * left goes to the end, so that a large group does not starve the others. Within a group keys keep the order
 * in which they were added.
 */
export function createGroupedLane(groupOf: (key: string) => string, portion: Portion): Lane {
  /** The groups that have keys and are not held. */
  let order = createFifoSet();
  const groups = new Map<string, FifoSet>();
  const held = new Set<string>();
  const ofEach = portion.kind === 'mixed' ? 1 : portion.size;
  let size = 0;

  /** @returns false if there is no group. */
  const takeFromNext = (taken: string[]): boolean => {
    const group = order.shift();
    const keys = group === undefined ? undefined : groups.get(group);
    if (group === undefined || keys === undefined) {
      return false;
    }
    for (let left = ofEach; left > 0; left--) {
      const key = keys.shift();
      if (key === undefined) {
        break;
      }
      taken.push(key);
    }
    if (keys.size > 0) {
      order.add(group);
    } else {
      groups.delete(group);
    }
    return true;
  };

  return {
    has: (key) => groups.get(groupOf(key))?.has(key) ?? false,
    add: (key) => {
      const group = groupOf(key);
      let keys = groups.get(group);
      if (keys === undefined) {
        keys = createFifoSet();
        groups.set(group, keys);
        if (!held.has(group)) {
          order.add(group);
        }
      }
      keys.add(key);
      size += 1;
    },
    delete: (key) => {
      const group = groupOf(key);
      const keys = groups.get(group);
      if (keys?.delete(key) === true) {
        size -= 1;
        if (keys.size === 0) {
          groups.delete(group);
          order.delete(group);
        }
      }
    },
    take: () => {
      const taken: string[] = [];
      let isMore: boolean;
      do {
        isMore = takeFromNext(taken);
      } while (isMore && portion.kind === 'mixed' && taken.length < portion.size);
      size -= taken.length;
      return taken;
    },
    hold: (group) => {
      held.add(group);
      order.delete(group);
    },
    release: (group) => {
      if (held.delete(group) && groups.has(group)) {
        order.add(group);
      }
    },
    clear: () => {
      order = createFifoSet();
      groups.clear();
      size = 0;
    },
    get size() {
      return size;
    },
  };
}
