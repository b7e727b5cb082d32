import type { Clock } from '../time/clock.ts';

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** Events of one source that a rested bucket lets pass at once. Default 25, client-go's. */
  readonly burst?: number;
  /** Milliseconds after which one more may pass. Default 300000, client-go's. */
  readonly interval?: number;
  /** Sources remembered; beyond that the one that was quiet longest is forgotten. Default 4096, client-go's. */
  readonly capacity?: number;
}

/** Whether one more event of this source may pass; if so, it is counted. */
export type SpamFilter = (source: string) => boolean;

/** A token bucket for each source: client-go's `EventSourceObjectSpamFilter` (`tools/record/events_cache.go`). */
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
