import { createFifoSet, type FifoSet } from '../sharing/fifo-set.ts';

/** Keys that wait for one thing, in their order. Each operation costs the same however many keys and groups there are. */
export interface Lane {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  /** Takes the next key, or keys; empty when there is none, or those that wait are of groups that are held. */
  take(): readonly string[];
  /** Takes no more keys of the group until it is released. Keys without groups are not held. */
  hold(group: string): void;
  release(group: string): void;
  clear(): void;
  /** All keys, those of groups that are held among them. */
  readonly size: number;
}

/** How many keys of which groups are taken together. */
export type Portion =
  /** Keys of one group, this many at the most. */
  | { readonly kind: 'group'; readonly size: number }
  /** Keys of all groups, one of each in turn, this many at the most. */
  | { readonly kind: 'mixed'; readonly size: number };

/** Keys come one by one, in the order in which they were added. */
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
 * Groups come in the order of their first key, and one with keys left goes to the end, so that a large group does not starve the
 * others. Within a group keys come in the order in which they were added.
 */
export function createGroupedLane(groupOf: (key: string) => string, portion: Portion): Lane {
  /** The groups that have keys and are not held. */
  let order = createFifoSet();
  const groups = new Map<string, FifoSet>();
  const held = new Set<string>();
  const ofEach = portion.kind === 'mixed' ? 1 : portion.size;
  let size = 0;

  /** @returns false when there is no group. */
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
