import type { ObjectKey } from '@holdfast/core';
import type { Clock } from '../time/clock.ts';
import type { UnreadableObject } from '../wire/unreadable-object.ts';

/** How often the same of an object is logged, milliseconds. */
const period = 3_600_000;
/** Objects that are remembered; when there are more, all are forgotten. */
const remembered = 1_000;

/** Which of the objects that can't be read are to be logged as errors: each comes again with each of its changes, and with each list. */
export interface LeftOutLog {
  /** It was not logged for this reason within the hour. */
  isNews(problem: UnreadableObject): boolean;
  /** The object can be read. */
  forget(key: ObjectKey): void;
}

export function createLeftOutLog(clock: Pick<Clock, 'now'>): LeftOutLog {
  /** Empty: objects without a name. */
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
