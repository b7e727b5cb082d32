import type { Clock } from '../time/clock.ts';

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** How many events of one source can pass at once after a pause. Default: 25, client-go's figure. */
  readonly burst?: number;
  /** After how many milliseconds one more can pass. Default: 300000, client-go's figure. */
  readonly interval?: number;
  /**
   * How many sources are remembered; beyond that the one that was quiet longest is forgotten. Default: 4096,
   * client-go's figure.
   */
  readonly capacity?: number;
}

/** Returns whether one more event of this source can pass; if so, it is counted. */
export type SpamFilter = (source: string) => boolean;

/**
 * Creates a token bucket for each source, like client-go's `EventSourceObjectSpamFilter`
 * (`tools/record/events_cache.go`).
 */
export function createSpamFilter(options: SpamFilterOptions): SpamFilter {
  const { clock, burst = 25, interval = 300_000, capacity = 4096 } = options;
  /** In the order of their last use. */
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  return (source) => {
    const now = clock.now();
    const { tokens, at } = buckets.get(source) ?? { tokens: burst, at: now };
    const filled = Math.min(tokens + (now - at) / interval, burst);
    const passes = filled >= 1;
    buckets.delete(source);
    buckets.set(source, { tokens: passes ? filled - 1 : filled, at: now });
    if (buckets.size > capacity) {
      for (const eldest of buckets.keys()) {
        buckets.delete(eldest);
        break;
      }
    }
    return passes;
  };
}
