import type { Clock, ClockTimer } from '../time/clock.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import { createGroupedLane } from './lane.ts';

/** The keys that failed, until they return to the queue. */
export interface RetryLine {
  /**
   * Returns the key to the queue after this many milliseconds, and then as soon as it is its turn. If it is
   * already waiting, the earlier time counts.
   *
   * @param why what keys that failed alike have in common; there must be few such texts.
   */
  add(key: string, delay: number, why: string): void;
  delete(key: string): void;
  clear(): void;
}

export interface RetryLineOptions {
  readonly clock: Clock;
  /** Groups take turns. */
  readonly groupOf: (key: string) => string;
  readonly comeBack: (key: string) => void;
}

/** client-go's overall limit on retries: ten a second, a hundred at once. */
const overall = { qps: 10, burst: 100 };

/**
 * Limits the retries of all keys together, as client-go does to protect the API server. Unlike there, a key
 * takes its token when its delay is over, not when it fails, and keys that wait for a token stand in a lane.
 * Since groups take turns, a group with thousands of failing keys delays the retry of another group by only a
 * tenth of a second. So do keys of one group that failed for different reasons: if a policy refuses thousands of
 * objects, a write of another one that met with a conflict is repeated soon.
 */
export function createRetryLine({ clock, groupOf, comeBack }: RetryLineOptions): RetryLine {
  const delayed = new Map<string, { readonly until: number; readonly timer: ClockTimer }>();
  /** Why the keys in line failed. */
  const reasons = new Map<string, string>();
  /** The keys whose delay is over, in the order in which they return. */
  const due = createGroupedLane((key) => JSON.stringify([reasons.get(key), groupOf(key)]), {
    kind: 'group',
    size: 1,
  });
  const tokens = createTokenBucket({ ...overall, clock });
  /** The timer of a token that was taken before it was due. */
  let next: ClockTimer | undefined;

  const letGo = (): void => {
    for (const key of due.take()) {
      reasons.delete(key);
      comeBack(key);
    }
  };

  const serve = (): void => {
    while (next === undefined && due.size > 0) {
      const wait = tokens.reserve();
      if (wait === 0) {
        letGo();
      } else {
        next = clock.after(wait, () => {
          next = undefined;
          letGo();
          serve();
        });
      }
    }
  };

  const cancel = (key: string): void => {
    delayed.get(key)?.timer.cancel();
    delayed.delete(key);
  };

  return {
    add: (key, delay, why) => {
      const until = clock.now() + delay;
      if (due.has(key) || (delayed.get(key)?.until ?? Infinity) <= until) {
        return;
      }
      cancel(key);
      const timer = clock.after(delay, () => {
        delayed.delete(key);
        reasons.set(key, why);
        due.add(key);
        serve();
      });
      delayed.set(key, { until, timer });
    },
    delete: (key) => {
      cancel(key);
      due.delete(key);
      reasons.delete(key);
    },
    clear: () => {
      [...delayed.keys()].forEach(cancel);
      due.clear();
      reasons.clear();
      next?.cancel();
      next = undefined;
    },
  };
}
