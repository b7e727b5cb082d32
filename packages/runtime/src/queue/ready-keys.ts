import { createFifoSet, type FifoSet } from './fifo-set.ts';

/** `initial` keys wait behind all `event` keys: objects that existed at start must not hold up what happens now. */
export type Priority = 'event' | 'initial';

/** The keys of a work queue that wait to be taken, in their order. */
export interface ReadyKeys {
  /** @returns false when the key waits already; it then keeps its place, unless its priority has risen. */
  add(key: string, priority: Priority): boolean;
  /** Takes the next key, or the next keys of one group; empty only when there is none. */
  take(): readonly string[];
  clear(): void;
  readonly size: number;
}

/**
 * Two lanes, `event` before `initial`, each in the order of arrival. With groups, a lane holds groups in the order of their
 * first key, and one whose keys are more than a batch goes to the end with the rest, so that a large group does not starve
 * the others.
 */
export function createReadyKeys(
  groupOf: ((key: string) => string) | undefined,
  batchSize: number,
): ReadyKeys {
  const newLane = (): Lane => (groupOf === undefined ? createLane() : createGroupedLane(groupOf, batchSize));
  let lanes: Readonly<Record<Priority, Lane>> = { event: newLane(), initial: newLane() };

  return {
    add: (key, priority) => {
      if (lanes.event.has(key)) {
        return false;
      }
      if (!lanes.initial.has(key)) {
        lanes[priority].add(key);
        return true;
      }
      if (priority === 'event') {
        lanes.initial.delete(key);
        lanes.event.add(key);
      }
      return false;
    },
    take: () => (lanes.event.size > 0 ? lanes.event : lanes.initial).take(),
    clear: () => {
      lanes = { event: newLane(), initial: newLane() };
    },
    get size() {
      return lanes.event.size + lanes.initial.size;
    },
  };
}

interface Lane {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  take(): readonly string[];
  readonly size: number;
}

function createLane(): Lane {
  const keys = createFifoSet();
  return {
    has: keys.has,
    add: keys.add,
    delete: keys.delete,
    take: () => {
      const key = keys.shift();
      return key === undefined ? [] : [key];
    },
    get size() {
      return keys.size;
    },
  };
}

function createGroupedLane(groupOf: (key: string) => string, batchSize: number): Lane {
  const order = createFifoSet();
  const groups = new Map<string, FifoSet>();
  let size = 0;

  return {
    has: (key) => groups.get(groupOf(key))?.has(key) ?? false,
    add: (key) => {
      const group = groupOf(key);
      let keys = groups.get(group);
      if (keys === undefined) {
        keys = createFifoSet();
        groups.set(group, keys);
        order.add(group);
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
      const group = order.shift();
      const keys = group === undefined ? undefined : groups.get(group);
      if (group === undefined || keys === undefined) {
        return [];
      }
      const batch: string[] = [];
      for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
        batch.push(key);
        if (batch.length === batchSize) {
          break;
        }
      }
      size -= batch.length;
      if (keys.size > 0) {
        order.add(group);
      } else {
        groups.delete(group);
      }
      return batch;
    },
    get size() {
      return size;
    },
  };
}
