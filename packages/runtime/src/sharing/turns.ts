import { createFifoSet } from './fifo-set.ts';

/** Something that waits, and the group to which it belongs. */
export interface InTurn<T> {
  readonly group: string;
  readonly value: T;
}

/** What waits, by groups that come in turn. */
export interface Turns<T> {
  add(group: string, value: T): void;
  /** Whether anything of the group waits. */
  has(group: string): boolean;
  /**
   * Takes what came first of the next group that may go on; undefined when there is none. Its cost grows with the number of groups that
   * wait and may not go on, and with nothing else.
   */
  next(mayGoOn: (group: string) => boolean): InTurn<T> | undefined;
}

export function createTurns<T>(): Turns<T> {
  const groups = new Map<string, T[]>();
  const order = createFifoSet();

  return {
    add: (group, value) => {
      const values = groups.get(group);
      if (values === undefined) {
        groups.set(group, [value]);
        order.add(group);
      } else {
        values.push(value);
      }
    },
    has: (group) => groups.has(group),
    next: (mayGoOn) => {
      for (let left = order.size; left > 0; left--) {
        const group = order.shift();
        const values = group === undefined ? undefined : groups.get(group);
        if (group === undefined || values === undefined) {
          break;
        }
        if (!mayGoOn(group)) {
          order.add(group);
          continue;
        }
        const [value] = values.splice(0, 1);
        if (values.length === 0) {
          groups.delete(group);
        } else {
          order.add(group);
        }
        return value === undefined ? undefined : { group, value };
      }
      return undefined;
    },
  };
}
