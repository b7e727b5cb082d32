import { sleep, type Clock } from './clock.ts';

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
   * Takes a token, waiting for it in turn.
   *
   * @throws the signal's reason when aborted while waiting; the token is then lost, as in client-go.
   */
  take(signal: AbortSignal): Promise<void>;
  /** Takes a token now and tells after how many milliseconds it is really there. */
  reserve(): number;
}

/** The token bucket of client-go's flowcontrol: may be in debt, so that waiters are served in the order they came. */
export function createTokenBucket({ qps, burst, clock }: TokenBucketOptions): TokenBucket {
  let tokens = Math.max(burst, 1);
  let last = clock.now();

  const reserve = (): number => {
    if (qps <= 0) {
      return 0;
    }
    const now = clock.now();
    tokens = Math.min(tokens + ((now - last) * qps) / 1000, Math.max(burst, 1)) - 1;
    last = now;
    return tokens >= 0 ? 0 : (-tokens * 1000) / qps;
  };

  return {
    reserve,
    take: async (signal) => {
      const delay = reserve();
      if (delay > 0) {
        await sleep(clock, delay, signal);
      }
    },
  };
}
