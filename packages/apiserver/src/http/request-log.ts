import type { Verb } from '../meta/verb.ts';

/** A request that was answered. */
export interface ServedRequest {
  /** The verb. For a path that is not a resource: the HTTP method in lower case. */
  readonly verb: Verb | Lowercase<string>;
  readonly path: string;
  /** The plural; empty for other paths. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly userAgent: string;
  readonly user: string;
  /** The HTTP status; 0 if the connection was reset instead. */
  readonly code: number;
}

/** The requests that the server has answered, oldest first. Only the last 10,000 are kept. */
export interface RequestLog {
  readonly all: readonly ServedRequest[];
  /** The number of requests since the start or the last `clear`, including those that are no longer kept. */
  readonly total: number;
  /** Returns how many of the kept requests have all the given values. */
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
