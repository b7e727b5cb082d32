import type { Lane } from './lane.ts';

/**
 * `initial` keys wait behind `event` keys, so that objects that existed at the start do not hold up what happens now.
 * So do those that a reconcile puts behind the others. One turn in eight is theirs all the same: where more happens
 * than is worked on, they would otherwise wait for ever.
 */
export type Priority = 'event' | 'initial';

/** The keys of a work queue that are ready to be taken, in order. */
export interface ReadyKeys {
  /** @returns false if the key is already waiting; it then keeps its place, unless its priority has risen. */
  add(key: string, priority: Priority): boolean;
  /**
   * Takes the next key, or the next keys that go together; empty if there is none, or all belong to held
   * groups.
   */
  take(): readonly string[];
  /** See {@link Lane.hold}. */
  hold(group: string): void;
  release(group: string): void;
  clear(): void;
  readonly size: number;
}

/** After this many turns of `event` keys, waiting `initial` keys have one. */
const eventTurns = 7;

/** Creates two lanes, `event` before `initial` but for one turn in eight. */
export function createReadyKeys(newLane: () => Lane): ReadyKeys {
  const lanes: Readonly<Record<Priority, Lane>> = { event: newLane(), initial: newLane() };
  /** The turns that `event` keys have had since `initial` keys had one, or since these began to wait. */
  let passed = 0;

  const takeInitial = (): readonly string[] => {
    const keys = lanes.initial.take();
    if (keys.length > 0) {
      passed = 0;
    }
    return keys;
  };

  const takeEvent = (): readonly string[] => {
    const keys = lanes.event.take();
    if (keys.length > 0) {
      passed = lanes.initial.size > 0 ? passed + 1 : 0;
    }
    return keys;
  };

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
    take: () => {
      const [first, second] = passed < eventTurns ? [takeEvent, takeInitial] : [takeInitial, takeEvent];
      const keys = first();
      return keys.length > 0 ? keys : second();
    },
    hold: (group) => {
      lanes.event.hold(group);
      lanes.initial.hold(group);
    },
    release: (group) => {
      lanes.event.release(group);
      lanes.initial.release(group);
    },
    clear: () => {
      lanes.event.clear();
      lanes.initial.clear();
    },
    get size() {
      return lanes.event.size + lanes.initial.size;
    },
  };
}
