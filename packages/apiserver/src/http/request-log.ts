import type { Verb } from '../meta/verb.ts';

/** One request that was answered. */
export interface ServedRequest {
  /** For paths that are no resources: the HTTP method in lower case. */
  readonly verb: Verb | Lowercase<string>;
  readonly path: string;
  /** Plural; empty for other paths. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly userAgent: string;
  readonly user: string;
  /** 0 when the connection was reset instead of answered. */
  readonly code: number;
}

/** The requests a server answered, oldest first; only the last 10,000 are kept. */
export interface RequestLog {
  readonly all: readonly ServedRequest[];
  /** Requests since the start or the last `clear`, those no longer kept among them. */
  readonly total: number;
  /** How many of those kept have all the given values. */
  count(match?: Partial<ServedRequest>): number;
  clear(): void;
}

const capacity = 10_000;

export interface WritableRequestLog extends RequestLog {
  add(request: ServedRequest): void;
}

export function createRequestLog(): WritableRequestLog {
  let kept: ServedRequest[] = [];
  let total = 0;
  return {
    get all() {
      return kept.length > capacity ? kept.slice(-capacity) : kept;
    },
    get total() {
      return total;
    },
    count(match = {}) {
      const wanted = Object.entries(match);
      return this.all.filter((request) =>
        wanted.every(([key, value]) => request[key as keyof ServedRequest] === value),
      ).length;
    },
    clear() {
      kept = [];
      total = 0;
    },
    add(request) {
      total += 1;
      kept.push(request);
      if (kept.length >= capacity * 2) {
        kept = kept.slice(-capacity);
      }
    },
  };
}
