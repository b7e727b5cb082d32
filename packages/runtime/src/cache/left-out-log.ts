import type { ObjectKey } from '@holdfast/core';
import type { Clock } from '../time/clock.ts';
import type { UnreadableObject } from '../wire/unreadable-object.ts';

/** How often the same problem of an object is logged, in milliseconds. */
const period = 3_600_000;
/** How many objects are remembered. If there are more, all are forgotten. */
const remembered = 1_000;

/**
 * Decides which unreadable objects to log as errors, since each returns with each of its changes and each
 * list.
 */
export interface LeftOutLog {
  /** Returns whether the problem was not logged for this object within the last hour. */
  isNews(problem: UnreadableObject): boolean;
  /** Call when the object can be read. */
  forget(key: ObjectKey): void;
}

export function createLeftOutLog(clock: Pick<Clock, 'now'>): LeftOutLog {
  /** The key is empty for objects without a name. */
  const logged = new Map<ObjectKey, { readonly message: string; readonly at: number }>();
  return {
    isNews: ({ key = '', message }) => {
      const last = logged.get(key);
      const now = clock.now();
      if (last?.message === message && now - last.at < period) {
        return false;
      }
      if (last === undefined && logged.size >= remembered) {
        logged.clear();
      }
      logged.set(key, { message, at: now });
      return true;
    },
    forget: (key) => {
      logged.delete(key);
    },
  };
}
