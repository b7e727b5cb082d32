import type { Clock, ClockTimer } from './clock.ts';

/** A limit on a rate. */
export interface TokenBucketOptions {
  /** How many tokens return each second; zero or less means no limit. */
  readonly qps: number;
  /** How many tokens a full bucket holds, at least 1. */
  readonly burst: number;
  readonly clock: Clock;
}

export interface TokenBucket {
  /**
   * Takes a token, and waits until it is due.
   *
   * @throws the signal's reason if aborted while waiting; no token is then taken.
   */
  take(signal: AbortSignal): Promise<void>;
  /**
   * Takes a token ahead of those who wait in {@link TokenBucket.take}, for an act that is useless later. Up
   * to three tokens can be taken before they are due; later callers wait for them, so that the rate holds.
   * While others wait in turn, at most three go ahead between two of them, so that nobody waits forever.
   *
   * @param latest time of the clock from which waiting is useless.
   * @returns false if no token was due by then; none was taken.
   * @throws the signal's reason if aborted while waiting; no token is then taken.
   */
  takeAhead(latest: number, signal: AbortSignal): Promise<boolean>;
  /** Takes a token now and returns after how many milliseconds it is due. */
  reserve(): number;
}

/**
 * See {@link TokenBucket.takeAhead}. This is enough for two further reads and the write of a decision whose
 * first read had to wait.
 */
const advance = 3;

/** Tolerance for rounding errors in the sum of fractions. */
const rounding = 1e-9;

interface Waiter {
  /** Whether it has its token, or no longer wants one. */
  isOver: boolean;
  grant(): void;
}

/**
 * Creates a token bucket like client-go's flowcontrol: callers are served in the order in which they came.
 */
export function createTokenBucket({ qps, burst, clock }: TokenBucketOptions): TokenBucket {
  const capacity = Math.max(burst, 1);
  let tokens = capacity;
  let last = clock.now();
  const inTurn: Waiter[] = [];
  const ahead: Waiter[] = [];
  /** Tokens that were taken ahead since one was last taken in turn. */
  let passed = 0;
  let timer: ClockTimer | undefined;

  const refill = (): void => {
    const now = clock.now();
    tokens = Math.min(tokens + ((now - last) * qps) / 1000, capacity);
    last = now;
  };

  const serve = (): void => {
    timer?.cancel();
    timer = undefined;
    refill();
    for (;;) {
      dropOver(inTurn);
      dropOver(ahead);
      const goesAhead = ahead.length > 0 && (inTurn.length === 0 || passed < advance);
      const lane = goesAhead ? ahead : inTurn;
      const waiter = lane[0];
      if (waiter === undefined) {
        return;
      }
      const missing = (goesAhead ? 1 - advance : 1) - tokens;
      if (missing > rounding) {
        timer = clock.after((missing * 1000) / qps, serve);
        return;
      }
      tokens -= 1;
      passed = goesAhead ? passed + 1 : 0;
      lane.shift();
      waiter.grant();
    }
  };

  const wait = (lane: Waiter[], signal: AbortSignal, latest = Infinity): Promise<boolean> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      let limit: ClockTimer | undefined;
      const leave = (): void => {
        waiter.isOver = true;
        limit?.cancel();
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        serve();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        isOver: false,
        grant: () => {
          leave();
          resolve(true);
        },
      };
      lane.push(waiter);
      serve();
      if (waiter.isOver) {
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      if (latest !== Infinity) {
        limit = clock.after(latest - clock.now(), () => {
          leave();
          serve();
          resolve(false);
        });
      }
    });

  return {
    take: async (signal) => {
      if (qps > 0) {
        await wait(inTurn, signal);
      }
    },
    takeAhead: async (latest, signal) =>
      qps <= 0 || (clock.now() <= latest && (await wait(ahead, signal, latest))),
    reserve: () => {
      if (qps <= 0) {
        return 0;
      }
      refill();
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens * 1000) / qps;
    },
  };
}

function dropOver(lane: Waiter[]): void {
  while (lane[0]?.isOver === true) {
    lane.shift();
  }
}
