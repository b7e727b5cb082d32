import { createFifoSet } from './fifo-set.ts';

/** A waiting value and its group. */
export interface InTurn<T> {
  readonly group: string;
  readonly value: T;
}

/** Waiting values, by groups that take turns. */
export interface Turns<T> {
  add(group: string, value: T): void;
  /** Returns whether the group has waiting values. */
  has(group: string): boolean;
  /**
   * Takes the oldest value of the next group for which `mayGoOn` is true; undefined if there is none. The
   * cost grows only with the number of waiting groups for which it is false.
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
