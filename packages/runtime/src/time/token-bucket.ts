import type { Clock, ClockTimer } from './clock.ts';

/** A limit on how often something may be done. */
export interface TokenBucketOptions {
  /** Tokens that come back each second; zero or less: no limit. */
  readonly qps: number;
  /** Tokens that a rested bucket holds, at least 1. */
  readonly burst: number;
  readonly clock: Clock;
}

export interface TokenBucket {
  /**
   * Takes a token, and waits until it is due.
   *
   * @throws the signal's reason when aborted while waiting; no token is then taken.
   */
  take(signal: AbortSignal): Promise<void>;
  /**
   * Takes a token ahead of those who wait in {@link TokenBucket.take}, for what is of no use later. Three tokens may be taken before they
   * are there: what comes after waits for them, so that the rate holds. While others wait in turn, three at the most go ahead between
   * two of them, so that nobody waits for ever.
   *
   * @param latest of the clock: from then on there is no use in waiting.
   * @returns false when no token came until then, and none was taken.
   * @throws the signal's reason when aborted while waiting; no token is then taken.
   */
  takeAhead(latest: number, signal: AbortSignal): Promise<boolean>;
  /** Takes a token now and answers after how many milliseconds it is really there. */
  reserve(): number;
}

/** See {@link TokenBucket.takeAhead}: enough for two further reads and the write of a decision whose first read had to wait. */
const advance = 3;

/** A timer is due when the sum of fractions says so, give or take. */
const rounding = 1e-9;

interface Waiter {
  /** Has its token, or does not want it any more. */
  isOver: boolean;
  grant(): void;
}

/** A token bucket as client-go's flowcontrol has it: those who wait are served in the order they came. */
export function createTokenBucket({ qps, burst, clock }: TokenBucketOptions): TokenBucket {
  const capacity = Math.max(burst, 1);
  let tokens = capacity;
  let last = clock.now();
  const inTurn: Waiter[] = [];
  const ahead: Waiter[] = [];
  /** Tokens that were taken ahead since one was taken in turn. */
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
