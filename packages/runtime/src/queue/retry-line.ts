import type { Clock, ClockTimer } from '../time/clock.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import type { Lane } from './lane.ts';

/** The keys that failed, until they return to the queue. */
export interface RetryLine {
  /**
   * Returns the key to the queue after this many milliseconds, and then as soon as it is its turn. If it is
   * already waiting, the earlier time counts.
   */
  add(key: string, delay: number): void;
  delete(key: string): void;
  clear(): void;
}

export interface RetryLineOptions {
  readonly clock: Clock;
  /** The keys whose delay is over, in the order in which they return. */
  readonly due: Lane;
  readonly comeBack: (key: string) => void;
}

/** client-go's overall limit on retries: ten a second, a hundred at once. */
const overall = { qps: 10, burst: 100 };

/**
 * Limits the retries of all keys together, as client-go does to protect the API server. Unlike there, a key
 * takes its token when its delay is over, not when it fails, and keys that wait for a token stand in a lane.
 * Since groups take turns, a group with thousands of failing keys delays the retry of another group by only a
 * tenth of a second.
 */
export function createRetryLine({ clock, due, comeBack }: RetryLineOptions): RetryLine {
  const delayed = new Map<string, { readonly until: number; readonly timer: ClockTimer }>();
  const tokens = createTokenBucket({ ...overall, clock });
  /** The timer of a token that was taken before it was due. */
  let next: ClockTimer | undefined;

  const letGo = (): void => {
    for (const key of due.take()) {
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
    add: (key, delay) => {
      const until = clock.now() + delay;
      if (due.has(key) || (delayed.get(key)?.until ?? Infinity) <= until) {
        return;
      }
      cancel(key);
      const timer = clock.after(delay, () => {
        delayed.delete(key);
        due.add(key);
        serve();
      });
      delayed.set(key, { until, timer });
    },
    delete: (key) => {
      cancel(key);
      due.delete(key);
    },
    clear: () => {
      [...delayed.keys()].forEach(cancel);
      due.clear();
      next?.cancel();
      next = undefined;
    },
  };
}
