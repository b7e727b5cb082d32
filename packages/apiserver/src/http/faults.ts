import type { Verb } from '../meta/verb.ts';
import { seededRandom } from '../meta/seeded-random.ts';

/* Faults that requests to the API server meet. Rules choose them, and a seed makes them repeatable. */

/** A request as the rules see it. */
export interface FaultRequest {
  readonly verb: Verb | Lowercase<string>;
  /** The plural; empty for paths that are not resources. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The query of the request's URL. It must not be changed. */
  readonly query: URLSearchParams;
  readonly userAgent: string;
}

/** Which requests a rule applies to. A field that is left out matches everything. */
export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[];
  /** The plural. */
  readonly resource?: string | readonly string[];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userAgent?: RegExp;
}

/**
 * Which of the matching requests are hit. If several fields are given, all must hold; without any, every
 * matching request is hit.
 */
export interface FaultSchedule {
  /** The nth matching request, counted from 1; a list hits several. */
  readonly nth?: number | readonly number[];
  /** The nth matching request and all later ones. */
  readonly from?: number;
  /** A probability between 0 and 1, drawn with the plan's seed. */
  readonly probability?: number;
  /** The maximum number of hits. */
  readonly times?: number;
}

/** What goes wrong with a request. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      /** Sent as the header Retry-After and as details.retryAfterSeconds. */
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /**
   * Resets the connection: either before the request is looked at, or after its write has taken effect but
   * before the answer.
   */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** Resets a watch after this many events, including bookmarks. 0: right after the headers. */
  | { readonly kind: 'cutWatch'; readonly afterEvents: number }
  /** Sends nothing more after this many events, and keeps the connection open. */
  | { readonly kind: 'stallWatch'; readonly afterEvents: number }
  /**
   * Answers a get, list or watch as a lagging server would: with the state of `behind` revisions ago, or of a
   * given revision. A watch is replayed from there. Limited by how far history reaches back.
   */
  | { readonly kind: 'stale'; readonly behind?: number; readonly revision?: number }
  | { readonly kind: 'withholdBookmarks' }
  | { readonly kind: 'duplicateEvents' }
  /** Compacts the storage before the request is served. */
  | { readonly kind: 'compact' }
  /**
   * Runs code of the test before the request is served, for example to crash the controller or to change an
   * object.
   */
  | { readonly kind: 'call'; readonly run: (request: FaultRequest) => void | Promise<void> };

/** A fault that has hit a request, for tests that assert that their faults happened. */
export interface InjectedFault {
  readonly request: FaultRequest;
  readonly fault: Fault;
}

/**
 * The faults in front of an API server: rules, which can change while the server runs, and a record of what
 * they did.
 */
export interface FaultPlan {
  readonly seed: number;
  /** The faults that have hit so far, oldest first. */
  readonly injected: readonly InjectedFault[];
  /** Adds a rule. Later rules apply after earlier ones. Can be called while the server runs. */
  on(match: FaultMatch, fault: Fault, schedule?: FaultSchedule): FaultPlan;
  /** Removes all rules, so that the server is healthy again. */
  clear(): void;
  /** Returns the faults for a request. The server calls this once per request. */
  decide(request: FaultRequest): readonly Fault[];
}

/**
 * Creates a plan without rules, to which rules are added: `createFaultPlan(7).on({ verb: 'patch', resource:
 * 'persistentvolumeclaims' }, { kind: 'reset', when: 'after' }, { nth: 2 })`. The same seed and the same
 * requests yield the same faults.
 */
export function createFaultPlan(seed = 1): FaultPlan {
  const random = seededRandom(seed);
  const injected: InjectedFault[] = [];
  let rules: Rule[] = [];
  return {
    seed,
    injected,
    on(match, fault, schedule = {}) {
      rules.push({ match, fault, schedule, seen: 0, hits: 0 });
      return this;
    },
    clear() {
      rules = [];
    },
    decide(request) {
      const faults: Fault[] = [];
      for (const rule of rules) {
        if (!matches(rule.match, request)) {
          continue;
        }
        rule.seen += 1;
        if (!isDue(rule, random)) {
          continue;
        }
        rule.hits += 1;
        faults.push(rule.fault);
        injected.push({ request, fault: rule.fault });
      }
      return faults;
    },
  };
}

interface Rule {
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly schedule: FaultSchedule;
  seen: number;
  hits: number;
}

function matches(match: FaultMatch, request: FaultRequest): boolean {
  return (
    isOneOf(match.verb, request.verb) &&
    isOneOf(match.resource, request.resource) &&
    isOneOf(match.subresource, request.subresource) &&
    isOneOf(match.namespace, request.namespace) &&
    isOneOf(match.name, request.name) &&
    (match.userAgent === undefined || match.userAgent.test(request.userAgent))
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, value: string): boolean {
  if (wanted === undefined) {
    return true;
  }
  return typeof wanted === 'string' ? wanted === value : wanted.includes(value);
}

function isDue({ schedule, seen, hits }: Rule, random: () => number): boolean {
  const { nth, from, probability, times } = schedule;
  // Drawn even if another condition does not hold, so that the schedule of one rule never changes the random
  // numbers of another.
  const isLucky = probability === undefined || random() < probability;
  if (times !== undefined && hits >= times) {
    return false;
  }
  if (from !== undefined && seen < from) {
    return false;
  }
  if (typeof nth === 'number' && seen !== nth) {
    return false;
  }
  if (typeof nth === 'object' && !nth.includes(seen)) {
    return false;
  }
  return isLucky;
}
