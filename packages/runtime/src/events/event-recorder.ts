import { hostname } from 'node:os';
import { eventsV1, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from '../client/api-error.ts';
import type { ApiClient } from '../client/api-client.ts';
import { createPlaces } from '../client/places.ts';
import { reporterName, type ProgramOrName } from '../identity/program-identity.ts';
import { createFairShare } from '../sharing/fair-share.ts';
import { createTurns } from '../sharing/turns.ts';
import { mustBeRate } from '../time/rate-options.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import { sleep, systemClock, type Clock, type ClockTimer } from '../time/clock.ts';
import { microTime } from '../time/micro-time.ts';
import { cutBytes, isomorphicKey, newEvent, type EventText, type NewEvent } from './event-object.ts';
import type { EventMetrics, EventResult } from './event-metrics.ts';
import { createSpamFilter } from './spam-filter.ts';

export type { EventText } from './event-object.ts';

/** Reports to the users of an object what a controller did about it, or could not do. */
export interface EventRecorder {
  /**
   * Returns at once: it never throws, waits, or slows its caller down. An event can get lost (the API server
   * refuses it, too many are waiting, or too many are about one object), so nothing must depend on one.
   *
   * Events with the same text and related object, about the same version of the same object, become one Event
   * with a series.
   */
  record<T extends KubernetesObject>(resource: ApiResource<T>, object: T, text: EventText): void;
  /**
   * Sends recorded events until aborted, and then those still waiting, for at most two seconds. Never
   * rejects.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** The program that an event recorder reports for, and the limits on its requests. */
export interface EventRecorderOptions {
  readonly client: ApiClient;
  /**
   * Events of the program `acme-sites` name `acme.example/acme-sites` as their controller if it has that
   * domain, and `acme-sites` if it has none.
   */
  readonly app: ProgramOrName;
  readonly logger: Logger;
  /** Default: results are not counted. */
  readonly metrics?: EventMetrics;
  /**
   * Requests per second, in addition to the client's own limit. Default: 20. When a controller has thousands
   * of objects to write, the API server should have time for these.
   */
  readonly qps?: number;
  /** How many requests can be sent at once after a pause. Default: 40. */
  readonly burst?: number;
  readonly clock?: Clock;
  /** Wall clock for the times and names of Events; no decision is based on it. */
  readonly now?: () => Date;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/**
 * The most events of one namespace that wait to be sent, the length of client-go's queue. The limit for all
 * namespaces together is twice as high.
 */
const waitingLimit = 1000;
/**
 * How many requests run at once. Each namespace has at most one, and namespaces whose requests take long have at most
 * half of them together. So those that hang hold up the others only until each of them has hung once.
 */
const requestsAtOnce = 8;
/** A request that takes this many milliseconds takes long. */
const long = 1_000;
/** How many namespaces are remembered whose requests take long. */
const slowLimit = 1_000;
/** The group of these namespaces; none has this name. */
const slowGroup = '';
/** How many kinds of events are remembered, so that a storm of different ones does not fill the memory. */
const memoryLimit = 4096;
/** client-go's figures (`tools/events/event_broadcaster.go`); milliseconds. */
const finishTime = 6 * 60_000;
const refreshTime = 30 * 60_000;
const retry = { tries: 12, delay: 10_000, jitter: 0.25 };
/** How many failures of a kind are logged as warnings at once, and after how many milliseconds one more. */
const warnings = { burst: 10, interval: 60_000 };
/** How often the recorder looks for series to finish or to refresh, in milliseconds. */
const sweepInterval = 60_000;
/**
 * A shutdown waits at most this long for the last events, in milliseconds. It is less than the time that
 * abandoned work has until the process is ended.
 */
const flushLimit = 2_000;

/** All equal events that came within six minutes of each other. */
interface Kind {
  readonly key: string;
  readonly event: NewEvent;
  /** Set from the second event on. */
  series: { readonly count: number; readonly lastObservedTime: string } | undefined;
  /** Whether the API server has the Event. */
  stored: boolean;
  /** The count that was last sent to the API server. */
  sentCount: number;
  /** When the last event came, and when a count was last sent, on our clock. */
  seenAt: number;
  sentAt: number;
  /** How many recorded events get their result from the next request. */
  owed: number;
}

/**
 * Creates a recorder of Events of group events.k8s.io/v1, in the namespace of their object, or in `default`
 * for a cluster-scoped object.
 *
 * Series work as in client-go: the second event of a kind is sent at once; later ones are counted, and the
 * count is sent every 30 minutes, and when no event has come for six minutes. Spam protection is that of
 * client-go's older recorder: 25 Events about one object, then one every five minutes. An event that is only
 * counted in a series does not count here.
 *
 * There is never more than one request under way for each namespace, and eight in all, so that the recorder
 * takes few places from the controllers that share the client. Namespaces take turns, and those whose last
 * request took a second or got no response have four of the eight together. A refused event is dropped. If
 * there is no response at all, the namespace's events wait, and the request is retried up to twelve times,
 * some ten seconds apart.
 *
 * Holdfast has its own recorder because client-node has none.
 *
 * @throws an error if `qps` or `burst` is NaN.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, app, logger, clock = systemClock, now = () => new Date(), random = Math.random } = options;
  const { qps = 20, burst = 40, metrics = { recorded: () => undefined } } = options;
  const reportingController = reporterName(app);
  const reporter = {
    reportingController,
    reportingInstance: cutBytes(`${reportingController}-${hostname()}`, 128),
  };
  mustBeRate('createEventRecorder', { qps, burst });
  const rateLimit = createTokenBucket({ qps, burst, clock });
  const isNoSpam = createSpamFilter({ clock });
  /** Whether one more failure of this kind is worth a warning: what refuses one Event refuses thousands. */
  const mayWarn = createSpamFilter({ clock, ...warnings });
  /** In the order of their last event. */
  const kinds = new Map<string, Kind>();
  const waiting = new Set<Kind>();
  /** The waiting kinds, by namespace. */
  const turns = createTurns<Kind>();
  const room = createFairShare(2 * waitingLimit);
  /** Namespaces for which a request is under way, or waits for its place or its next try. */
  const busy = new Set<string>();
  const places = createPlaces(requestsAtOnce);
  /** Namespaces whose last request took long or got no response. */
  const slow = new Set<string>();
  let lastStamp = 0n;
  let hasEnded = false;
  /** How many kinds were given up at the end, after or while they were tried. */
  let abandoned = 0;
  let wake: (() => void) | undefined;

  const stamp = (time: Date): bigint => {
    const nanoseconds = BigInt(time.getTime()) * 1_000_000n;
    lastStamp = nanoseconds > lastStamp ? nanoseconds : lastStamp + 1n;
    return lastStamp;
  };

  /** Returns false if too many are waiting already. */
  const enqueue = (kind: Kind): boolean => {
    const { namespace } = kind.event.metadata;
    if (!waiting.has(kind)) {
      if (!room.mayTake(namespace)) {
        return false;
      }
      room.take(namespace);
      waiting.add(kind);
      turns.add(namespace, kind);
    }
    wake?.();
    return true;
  };

  const next = (mayGoOn: (namespace: string) => boolean): Kind | undefined => {
    const found = turns.next((namespace) => !busy.has(namespace) && mayGoOn(namespace));
    if (found === undefined) {
      return undefined;
    }
    waiting.delete(found.value);
    room.giveBack(found.group);
    return found.value;
  };

  const hasUnsentCount = (kind: Kind): boolean =>
    kind.series !== undefined && kind.series.count > kind.sentCount;

  const begin = (key: string, event: NewEvent): EventResult | 'waiting' => {
    const { kind: objectKind, uid } = event.regarding;
    if (!isNoSpam(JSON.stringify([event.type, objectKind, uid]))) {
      return 'filtered';
    }
    const at = clock.now();
    const kind: Kind = {
      key,
      event,
      series: undefined,
      stored: false,
      sentCount: 0,
      seenAt: at,
      sentAt: at,
      owed: 1,
    };
    if (!enqueue(kind)) {
      return 'dropped';
    }
    kinds.set(key, kind);
    if (kinds.size > memoryLimit) {
      for (const eldest of kinds.values()) {
        forget(eldest);
        break;
      }
    }
    return 'waiting';
  };

  const count = (kind: Kind, time: Date): EventResult | 'waiting' => {
    const isSecond = kind.series === undefined;
    kind.series = { count: (kind.series?.count ?? 1) + 1, lastObservedTime: microTime(time) };
    kind.seenAt = clock.now();
    kinds.delete(kind.key);
    kinds.set(kind.key, kind);
    // An event that is still to be sent carries the count.
    if (!isSecond || waiting.has(kind) || !enqueue(kind)) {
      return 'merged';
    }
    kind.owed += 1;
    return 'waiting';
  };

  /** Ends a kind: its next event becomes a new Event. */
  const forget = (kind: Kind): void => {
    const hasLastWord = !hasUnsentCount(kind) || enqueue(kind);
    // If the queue is full, the last count stays here as long as there is room.
    if (hasLastWord || kinds.size > memoryLimit) {
      kinds.delete(kind.key);
    }
  };

  const sweep = (): void => {
    const at = clock.now();
    for (const kind of [...kinds.values()]) {
      if (at - kind.seenAt >= finishTime) {
        forget(kind);
      } else if (hasUnsentCount(kind) && at - kind.sentAt >= refreshTime) {
        enqueue(kind);
      }
    }
  };

  const create = (kind: Kind, signal: AbortSignal): Promise<unknown> =>
    client.create(
      eventsV1,
      kind.event.metadata.namespace,
      kind.series === undefined ? kind.event : { ...kind.event, series: kind.series },
      { signal, outlivesTenure: true },
    );

  const write = async (kind: Kind, signal: AbortSignal): Promise<void> => {
    const sentCount = kind.series?.count ?? 1;
    try {
      if (kind.stored && kind.series !== undefined) {
        await client.patch(
          eventsV1,
          kind.event.metadata,
          [{ op: 'add', path: '/series', value: kind.series }],
          { signal, outlivesTenure: true },
        );
      } else {
        await create(kind, signal);
      }
    } catch (error) {
      if (kind.stored && isNotFound(error)) {
        // The Event outlived its hour, or somebody deleted it.
        await create(kind, signal);
      } else if (!kind.stored && isAlreadyExists(error)) {
        // The response to our own first try was lost. A patch sends the events since then.
        kind.stored = true;
        if (sentCount > 1) {
          await write(kind, signal);
        }
      } else {
        throw error;
      }
    }
    kind.stored = true;
    kind.sentCount = sentCount;
    kind.sentAt = clock.now();
  };

  const noteDuration = (namespace: string, isSlow: boolean): void => {
    slow.delete(namespace);
    if (isSlow) {
      slow.add(namespace);
      const [eldest] = slow;
      if (slow.size > slowLimit && eldest !== undefined) {
        slow.delete(eldest);
      }
    }
  };

  const writeTimed = async (kind: Kind, signal: AbortSignal): Promise<void> => {
    const began = clock.now();
    let isSlow = true;
    try {
      await write(kind, signal);
      isSlow = clock.now() - began >= long;
    } catch (error) {
      isSlow = !(error instanceof ApiError) || clock.now() - began >= long;
      throw error;
    } finally {
      noteDuration(kind.event.metadata.namespace, isSlow);
    }
  };

  const writeInPlace = async (kind: Kind, signal: AbortSignal): Promise<void> => {
    const { namespace } = kind.event.metadata;
    const group = slow.has(namespace) ? slowGroup : namespace;
    await places.take(group, signal);
    try {
      // Not before the place: tokens of those that wait for a place while requests hang would all be spent at once.
      await rateLimit.take(signal);
      await writeTimed(kind, signal);
    } finally {
      places.giveBack(group);
    }
  };

  /** @returns the result; retries while there is no response and neither signal is aborted. */
  const deliver = async (kind: Kind, stop: AbortSignal, giveUp: AbortSignal): Promise<EventResult> => {
    for (let tries = 1; ; tries++) {
      try {
        await writeInPlace(kind, giveUp);
        return 'sent';
      } catch (error) {
        const { regarding, reason } = kind.event;
        const about = { err: error, kind: regarding.kind, object: regarding.name, reason };
        if (error instanceof ApiError) {
          // A controller cannot know that the namespace of an object is being deleted.
          const isNews = !isAboutGoneNamespace(error) && mayWarn(String(error.code));
          logger[isNews ? 'warn' : 'debug'](about, 'Event refused');
          return 'refused';
        }
        if (tries >= retry.tries || stop.aborted || giveUp.aborted) {
          abandoned += stop.aborted ? 1 : 0;
          logger[mayWarn('failed') ? 'warn' : 'debug']({ ...about, tries }, 'Event not recorded');
          return 'failed';
        }
        logger[tries === 1 && mayWarn('waits') ? 'warn' : 'debug'](about, 'Event not recorded yet');
        // At a shutdown there is one more try, at once.
        await sleep(clock, retry.delay * (1 + retry.jitter * random()), stop).catch(() => undefined);
      }
    }
  };

  const countResult = (recorded: number, result: EventResult): void => {
    for (let n = 0; n < recorded; n++) {
      metrics.recorded(result);
    }
  };

  const news = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  return {
    record: (resource, object, text) => {
      if (hasEnded) {
        metrics.recorded('dropped');
        return;
      }
      const time = now();
      const event = newEvent(reporter, resource, object, text, time, stamp(time));
      const key = isomorphicKey(event);
      const known = kinds.get(key);
      const result = known === undefined ? begin(key, event) : count(known, time);
      if (result !== 'waiting') {
        metrics.recorded(result);
      }
    },
    run: async (signal) => {
      const giveUp = new AbortController();
      let flushTimer: ClockTimer | undefined;
      const onAbort = (): void => {
        sweepTimer.cancel();
        for (const kind of kinds.values()) {
          if (hasUnsentCount(kind)) {
            enqueue(kind);
          }
        }
        flushTimer = clock.after(flushLimit, () =>
          giveUp.abort(new Error(`events were still waiting ${String(flushLimit)} ms after the end`)),
        );
        wake?.();
      };
      const sweepLater = (): ClockTimer =>
        clock.after(sweepInterval, () => {
          sweep();
          sweepTimer = sweepLater();
        });
      let sweepTimer = sweepLater();
      if (signal.aborted) {
        onAbort();
      } else {
        signal.addEventListener('abort', onAbort, { once: true });
      }
      /** Namespaces that did not answer; at shutdown nothing more is tried there. */
      const unreachable = new Set<string>();
      const send = async (kind: Kind): Promise<void> => {
        const { namespace } = kind.event.metadata;
        const { owed } = kind;
        kind.owed = 0;
        // A retry of its first event might already have sent the later ones.
        const result =
          kind.stored && !hasUnsentCount(kind) ? 'merged' : await deliver(kind, signal, giveUp.signal);
        countResult(owed, result);
        if (result === 'failed') {
          unreachable.add(namespace);
        } else {
          unreachable.delete(namespace);
        }
        if (!kind.stored && kinds.get(kind.key) === kind) {
          // The next event of this kind starts over.
          kinds.delete(kind.key);
        }
        busy.delete(namespace);
        wake?.();
      };
      const mayGoOn = (namespace: string): boolean =>
        !giveUp.signal.aborted && !(signal.aborted && unreachable.has(namespace));
      for (;;) {
        const kind = next(mayGoOn);
        if (kind !== undefined) {
          busy.add(kind.event.metadata.namespace);
          void send(kind);
        } else if (busy.size === 0 && signal.aborted) {
          break;
        } else {
          await news();
        }
      }
      flushTimer?.cancel();
      hasEnded = true;
      const unsent = waiting.size + abandoned;
      if (unsent > 0) {
        logger.warn({ count: unsent }, 'Events not recorded before the end');
      }
      for (const kind of waiting) {
        countResult(kind.owed, 'dropped');
      }
      waiting.clear();
      kinds.clear();
    },
  };
}

function isAboutGoneNamespace(error: ApiError): boolean {
  return isNotFound(error) || isNamespaceTerminating(error);
}
