import type { Verb } from '../meta/verb.ts';
import { seededRandom } from '../meta/seeded-random.ts';

/* Faults in front of the API server, chosen by rules and repeatable from a seed. */

/** A request as the rules see it. */
export interface FaultRequest {
  readonly verb: Verb | Lowercase<string>;
  /** Plural; empty for paths that are no resources. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
}

/** What a rule applies to; what is left out matches everything. */
export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[];
  /** Plural. */
  readonly resource?: string | readonly string[];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userAgent?: RegExp;
}

/** Which of the matching requests are hit; without any of it, all. What is given must hold together. */
export interface FaultSchedule {
  /** The nth matching request, counted from 1; several for a list. */
  readonly nth?: number | readonly number[];
  /** The nth matching request and all later ones. */
  readonly from?: number;
  /** Between 0 and 1, drawn from the plan's seed. */
  readonly probability?: number;
  /** At most this many hits. */
  readonly times?: number;
}

/** What goes wrong with a request. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      /** Sent as Retry-After and as details.retryAfterSeconds. */
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Cuts the connection before the request is looked at, or after its write took effect but before the answer. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** Resets a watch after this many events, bookmarks among them. 0: right after the headers. */
  | { readonly kind: 'cutWatch'; readonly afterEvents: number }
  /** Sends nothing more after this many events and keeps the connection open. */
  | { readonly kind: 'stallWatch'; readonly afterEvents: number }
  /**
   * Answers a get, list or watch as a server that lags: with the state of this many revisions ago, or at a given one. A watch is
   * replayed from there. As far as history reaches.
   */
  | { readonly kind: 'stale'; readonly behind?: number; readonly revision?: number }
  | { readonly kind: 'withholdBookmarks' }
  | { readonly kind: 'duplicateEvents' }
  /** Compacts the storage before the request is served. */
  | { readonly kind: 'compact' }
  /** Runs code of the test before the request is served: crash the controller, change an object. */
  | { readonly kind: 'call'; readonly run: (request: FaultRequest) => void | Promise<void> };

/** A hit, for tests that assert that their faults happened. */
export interface InjectedFault {
  readonly request: FaultRequest;
  readonly fault: Fault;
}

/** Faults in front of an API server: rules that can change while it serves, and what they did. */
export interface FaultPlan {
  readonly seed: number;
  /** The faults that hit so far, oldest first. */
  readonly injected: readonly InjectedFault[];
  /** Adds a rule; later rules apply after earlier ones. Can be called while the server runs. */
  on(match: FaultMatch, fault: Fault, schedule?: FaultSchedule): FaultPlan;
  /** Takes all rules away: the server is well again. */
  clear(): void;
  /** The faults for a request. Called once per request by the server. */
  decide(request: FaultRequest): readonly Fault[];
}

/**
 * A plan without rules: `createFaultPlan(7).on({ verb: 'patch', resource: 'persistentvolumeclaims' }, { kind: 'reset',
 * when: 'after' }, { nth: 2 })`. The same seed and the same requests give the same faults.
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
  // Drawn whether or not the rest holds, so that one rule's schedule never shifts another's luck.
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
