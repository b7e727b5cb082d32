import type { Clock } from '@holdfast/runtime';
import type { Fault, FaultMatch, FaultSchedule } from '@holdfast/testing';
import { impatientClock } from './paced-clock.ts';

/** What goes wrong between an app and its API server while the app works. */
export interface FaultCase {
  readonly name: string;
  /** Every rule must hit at least once; otherwise the case has tested nothing. */
  readonly rules: readonly FaultRule[];
  /**
   * `start`: the rules apply before the controllers start. `settled`: they apply once the caches are full;
   * then all watches are cut, so that they restart under the fault. Default `start`.
   */
  readonly from?: 'start' | 'settled';
  /** See `StartOptions.streamPause`. */
  readonly streamPause?: number;
  /** See `StartOptions.clientClock`. */
  readonly clientClock?: Clock;
}

/** A rule of a `FaultPlan`. */
export interface FaultRule {
  readonly match: FaultMatch;
  readonly fault: Fault;
  /** Default: every request that matches. */
  readonly schedule?: FaultSchedule;
}

/** Hits three requests in a row, then one that comes after a success. */
const several: FaultSchedule = { nth: [1, 2, 3, 5] };

/** A 422 with this message says that a `test` of the patch failed, see `isOutdated` of the runtime. */
const guardFailed = 'the server rejected our request due to an error in our request';

/**
 * Faults of single requests, which every app that patches claims must survive.
 *
 * @param requests matches the app's requests, see {@link madeBy}
 * @param liveRead matches what the app reads live before a write for which its cache is not enough
 */
export function requestFaults(requests: FaultMatch, liveRead: FaultMatch): readonly FaultCase[] {
  const patches = { ...requests, verb: 'patch', resource: 'persistentvolumeclaims' } as const;
  const reads = { ...requests, ...liveRead };
  return [
    {
      name: 'patches answered 409',
      rules: [
        { match: patches, fault: { kind: 'status', code: 409, reason: 'Conflict' }, schedule: several },
      ],
    },
    {
      name: 'patches answered 422 of a guard',
      rules: [
        {
          match: patches,
          fault: { kind: 'status', code: 422, reason: 'Invalid', message: guardFailed },
          schedule: several,
        },
      ],
    },
    {
      name: 'patches answered 500',
      rules: [{ match: patches, fault: { kind: 'status', code: 500 }, schedule: several }],
    },
    {
      name: 'patches answered 429 with Retry-After',
      rules: [
        {
          match: patches,
          fault: { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 },
          schedule: several,
        },
      ],
      clientClock: impatientClock,
    },
    {
      name: 'connection reset before the patch',
      rules: [{ match: patches, fault: { kind: 'reset', when: 'before' }, schedule: several }],
    },
    {
      name: 'connection reset after the patch took effect',
      rules: [{ match: patches, fault: { kind: 'reset', when: 'after' }, schedule: { times: 4 } }],
    },
    {
      name: 'patches slow',
      rules: [{ match: patches, fault: { kind: 'delay', milliseconds: 100 } }],
    },
    {
      name: 'live reads answered 500',
      rules: [{ match: reads, fault: { kind: 'status', code: 500 }, schedule: several }],
    },
    {
      name: 'live reads slow',
      rules: [{ match: reads, fault: { kind: 'delay', milliseconds: 50 } }],
    },
  ];
}

/**
 * Faults of watches, and of the lists before them, which the runtime's informers survive for an app.
 *
 * @param requests matches the app's requests, see {@link madeBy}
 */
export function watchFaults(requests: FaultMatch): readonly FaultCase[] {
  const watches = { ...requests, verb: 'watch' } as const;
  const lists = { ...requests, verb: 'list' } as const;
  return [
    {
      name: 'every watch cut after one event',
      rules: [{ match: watches, fault: { kind: 'cutWatch', afterEvents: 1 }, schedule: { times: 6 } }],
    },
    {
      // A streamed list then never signals that it is complete.
      name: 'bookmarks withheld',
      rules: [{ match: watches, fault: { kind: 'withholdBookmarks' } }],
      streamPause: 200,
    },
    {
      name: 'bookmarks withheld when the caches are full',
      rules: [{ match: watches, fault: { kind: 'withholdBookmarks' } }],
      from: 'settled',
    },
    {
      name: 'every event sent twice',
      rules: [{ match: watches, fault: { kind: 'duplicateEvents' } }],
    },
    {
      name: 'first watches answered 410',
      rules: [
        {
          match: watches,
          fault: { kind: 'status', code: 410, reason: 'Expired' },
          schedule: { times: 2 },
        },
      ],
    },
    {
      // The first watches are streamed lists; if one fails, the client falls back to a list in pages.
      name: 'first watches and lists answered 503',
      rules: [
        { match: watches, fault: { kind: 'status', code: 503 }, schedule: { times: 2 } },
        { match: lists, fault: { kind: 'status', code: 503 }, schedule: { times: 2 } },
      ],
    },
  ];
}

/** Matches the requests of an app, but not those of the test itself or of stand-ins. */
export function madeBy(app: string): { readonly userAgent: RegExp } {
  return { userAgent: new RegExp(`^${app}/`) };
}
