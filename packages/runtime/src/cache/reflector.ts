import {
  isOlderVersion,
  objectKey,
  type ApiResource,
  type KubernetesObject,
  type ObjectKey,
} from '@holdfast/core';
import { ApiError, isGone } from '../client/api-error.ts';
import type { ApiClient, Projected, SelectionOptions, WatchEvent } from '../client/api-client.ts';
import { backoffDelay } from '../time/backoff.ts';
import { sleep, type Clock } from '../time/clock.ts';
import { UnreadableObject } from '../wire/unreadable-object.ts';
import { createAgeQuestion } from './age-of-data.ts';

/** Receives what a reflector reads. */
export interface ReflectorSink<T> {
  /**
   * Receives all objects at one resourceVersion. An object that is not among them is gone.
   *
   * @param isRestored whether the server's data were restored from a backup since the last list. The server
   *   then assigns versions a second time, so an object can have changed even if its version is the known
   *   one.
   */
  replace(objects: readonly T[], isRestored: boolean): void;
  /** The object can no longer be read, or was deleted in a form that cannot be read. */
  leaveOut(key: ObjectKey): void;
  /** Receives one change since then. */
  apply(event: Extract<WatchEvent<T>, { readonly object: T }>): void;
}

/** Learns what a reflector does, for metrics and logs. */
export interface ReflectorObserver {
  listed(count: number): void;
  watchStarted(): void;
  /** The server sent something: a list, an event, or the normal end of a watch. */
  heard(): void;
  /** An object could not be read; the sink does not receive it. */
  skipped(problem: UnreadableObject): void;
  /** The watch or list failed, and is retried after the delay (milliseconds). */
  failed(error: unknown, delay: number): void;
}

export interface ReflectorOptions<T extends KubernetesObject> extends SelectionOptions, Projected<T> {
  readonly client: ApiClient;
  readonly resource: ApiResource<T>;
  readonly sink: ReflectorSink<T>;
  /**
   * Applied to each object on arrival, after the projection. An object for which it throws cannot be read.
   * Default: the object stays as it is.
   */
  readonly transform?: (object: T) => T;
  readonly observer: ReflectorObserver;
  readonly clock: Clock;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
  /** How to request the first state. Default: `streamed`, if the server supports it. */
  readonly lists?: 'streamed' | 'paged';
  /**
   * A watch that is silent for this many milliseconds is considered dead, and is resumed where it was.
   * Default:
   * 50000. No watch is requested for longer than 45 s, and its end is a sign of life.
   */
  readonly silenceLimit?: number;
  /**
   * Called at the start with what makes the reflector end its watch, and list everything anew as restored from a
   * backup. A list under way is not ended, but followed by another one. Use it for what others have found out: see the
   * guarantees of {@link runReflector}. Default: not called.
   */
  readonly onRelist?: (relist: () => void) => void;
}

const retry = { initial: 800, max: 30_000, factor: 2, jitter: 1 };
/** A watch that lasted this many milliseconds resets the count of failures, with or without events. */
const healthy = 120_000;

/**
 * Each watch is requested with a timeout of `least` seconds, plus up to `spread` seconds at random.
 *
 * client-go asks for five to ten minutes, and notices dead connections by HTTP/2 pings. HTTP/1.1 has no
 * pings; TCP keepalive reaches only the next proxy; bookmarks come once a minute, or never for a resource
 * that has not changed since the API server started. A watch with a short timeout must show a sign of life
 * soon, whatever the server and the network do. The cost is one request in 40 s on an open connection.
 */
const watchTime = { least: 35, spread: 10 };
/**
 * A watch that ends this many milliseconds or more before its timeout was ended for another reason. Differing
 * clocks and network delay account for less.
 */
const early = 2_000;
/**
 * After this many watches in a row that failed without an event, everything is listed: something might be wrong with
 * the version, or with watches at all, and the sink would never learn of a change.
 */
const mostInVain = 5;
/**
 * The longest time that a streamed list can take, in seconds, and the longest pause within it, in
 * milliseconds. Pages are requested instead if a server never sends the bookmark at the end, or a proxy holds
 * it back.
 */
const streamTime = 600;
const streamPause = 10_000;

/**
 * Keeps a sink equal to what the API server holds of one resource until the signal is aborted, by a list and
 * a watch from its version. The server streams the list in a watch if it can. If it refuses, all further
 * lists are requested in pages; if a streamed list fails, the next list is requested in pages, and the one
 * after that is streamed again. If the pages expire before the last of them, the list is requested at once in
 * one response without a limit.
 *
 * It replaces client-node's informer, which stops for good on any error except 410 and requests no bookmarks.
 *
 * # Guarantees
 * These are client-go's. Every change reaches the sink once and in order, or is contained in a later
 * `replace`. A watch that ends is resumed where it ended. If its version is gone (410, as a status or as an
 * event), a new list follows at once, but at most once in 30 s, and with growing delay if versions keep
 * expiring within 30 s. A new list also follows if the server refuses the version.
 *
 * A watch that ends within a second counts as a failure, whatever it brought. Any failure is retried forever,
 * after 800 ms to 30 s and up to as much again at random; the delay grows with the number of consecutive
 * failures without an event in between. An object that cannot be read is left out and does not hold up
 * others.
 *
 * If five watches in a row fail without an event although the server answers other requests, everything is listed
 * again. So where watches do not get through at all, the sink is still brought up to date every few minutes.
 *
 * Beyond client-go: after such a failure, and after a watch that the server ended before its timeout, as a
 * server does that shuts down, the reflector asks the server for its newest version. If that is older than a
 * version seen before, the server's data were restored from a backup, and everything is listed again. If the server
 * is too busy for that list (429), or takes long over it, the watch is resumed all the same, and the question goes on
 * beside it, see {@link createAgeQuestion}.
 * Otherwise a watch from a version that the server has yet to reach would bring nothing, without an error,
 * until the server reaches it (tried on 1.36). The versions of a restored server might have passed that version by
 * then. Then nothing that the reflector reads shows the restore, and somebody else must: see {@link
 * ReflectorOptions.onRelist}.
 *
 * # Errors
 * Resolves when the signal is aborted, and never rejects.
 */
export async function runReflector<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const {
    client,
    resource,
    projection,
    sink,
    transform = (object: T): T => object,
    observer,
    clock,
    random = Math.random,
  } = options;
  const { lists = 'streamed', silenceLimit = 50_000, onRelist } = options;
  const selection: SelectionOptions & Projected<T> = {
    ...(projection === undefined ? {} : { projection }),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  };
  /** Ends the request under way, when the reflector ends or everything must be listed anew. */
  let turn = new AbortController();
  let mustRelist = false as boolean;
  let isListing = false as boolean;
  const relist = (): void => {
    mustRelist = true;
    // A list that takes longer than the time until the next call would otherwise never be over.
    if (!isListing) {
      turn.abort(new Error('everything is listed anew'));
    }
  };
  onRelist?.(relist);
  let version: string | undefined;
  let failures = 0;
  let events = 0;
  /**
   * How many versions have expired in a row, each soon after its list. Events do not reset it: a list of all
   * objects costs the server too much to follow each event.
   */
  let expired = 0;
  /** When an expired version was last followed by a list at once. */
  let relisted = -Infinity;
  /**
   * Whether the server might return with older data, because it ended a watch before its timeout or the
   * connection broke.
   */
  let mightBeRestored = false;
  /** Whether it has returned with older data; the next list is then the first of those data. */
  let isRestored = false;
  /** How many watches in a row failed without an event, apart from those that the server was too busy for. */
  let inVain = 0;
  /** The version that the last list replaces. */
  let replaced: string | undefined;

  const transformed = (object: T): T | UnreadableObject => {
    try {
      return transform(object);
    } catch (error) {
      return new UnreadableObject(object.metadata, error);
    }
  };

  const replaceAll = (objects: readonly T[], listed: string): void => {
    observer.heard();
    sink.replace(objects, isRestored || (replaced !== undefined && isOlderVersion(listed, replaced)));
    observer.listed(objects.length);
  };

  /** Adds the objects that can be read to the list. */
  const gather = (items: readonly T[], objects: T[]): void => {
    for (const object of items) {
      const changed = transformed(object);
      if (changed instanceof UnreadableObject) {
        observer.skipped(changed);
      } else {
        objects.push(changed);
      }
    }
  };

  /**
   * Lists in pages. If the snapshot expires before the last page, the next one might expire as well, and the
   * sink would never be filled. So all objects are then requested once without a limit, as client-go's pager
   * does.
   */
  const listPages = async (): Promise<string> => {
    const request = { ...selection, signal: turn.signal, onUnreadable: observer.skipped };
    const objects: T[] = [];
    let listed: string | undefined;
    try {
      for await (const { items, metadata } of client.listPages(resource, request)) {
        gather(items, objects);
        listed = metadata.resourceVersion;
      }
    } catch (error) {
      if (!isGone(error) || listed === undefined) {
        throw error;
      }
      // The objects of the pages belong to a state that is gone.
      objects.length = 0;
      const { items, metadata } = await client.list(resource, request);
      gather(items, objects);
      listed = metadata.resourceVersion;
    }
    listed ??= '';
    replaceAll(objects, listed);
    return listed;
  };

  const listStreamed = async (): Promise<string> => {
    const objects = new Map<ObjectKey, T>();
    let listed: string | undefined;
    /**
     * When the first event came that does not announce an existing object: all of those have come by then, so
     * the bookmark at their end is due.
     */
    let due: number | undefined;
    const request = {
      ...selection,
      sendInitialEvents: true,
      timeoutSeconds: streamTime,
      silenceLimit: streamPause,
      signal: turn.signal,
      onUnreadable: (problem: UnreadableObject) => {
        observer.skipped(problem);
        if (problem.key !== undefined) {
          objects.delete(problem.key);
        }
      },
    };
    await client.watch(resource, request, (event, end) => {
      if (listed !== undefined) {
        return;
      }
      if (event.type !== 'ADDED') {
        due ??= clock.now();
      }
      switch (event.type) {
        case 'ADDED':
        case 'MODIFIED': {
          const object = transformed(event.object);
          if (object instanceof UnreadableObject) {
            request.onUnreadable(object);
          } else {
            objects.set(objectKey(object), object);
          }
          break;
        }
        case 'DELETED':
          objects.delete(objectKey(event.object));
          break;
        case 'BOOKMARK':
          if (event.initialEventsEnd === true) {
            listed = event.resourceVersion;
            end();
          }
          break;
      }
      if (listed === undefined && due !== undefined && clock.now() - due > streamPause) {
        // Something between client and server supports watches but not streamed lists, and each change would
        // keep the watch open.
        end();
      }
    });
    if (listed === undefined) {
      throw new Error('the streamed list ended before all of it had come');
    }
    replaceAll([...objects.values()], listed);
    return listed;
  };

  let next = lists;
  let isRefused = false;

  const list = async (): Promise<string> => {
    if (next === 'paged') {
      // If the pages fail too, a stream can still succeed.
      next = isRefused ? 'paged' : lists;
      return listPages();
    }
    next = 'paged';
    try {
      const listed = await listStreamed();
      next = lists;
      return listed;
    } catch (error) {
      isRefused = refusesToStream(error);
      if (!isRefused) {
        throw error;
      }
      return listPages();
    }
  };

  const listUnbroken = async (): Promise<string> => {
    isListing = true;
    try {
      return await list();
    } finally {
      isListing = false;
    }
  };

  /** @returns whether the server ended the watch before its timeout. */
  const watch = async (from: string): Promise<boolean> => {
    observer.watchStarted();
    const started = clock.now();
    const heard = (): void => {
      events += 1;
      observer.heard();
    };
    const timeoutSeconds = Math.round(watchTime.least + watchTime.spread * random());
    const request = {
      ...selection,
      resourceVersion: from,
      timeoutSeconds,
      silenceLimit,
      signal: turn.signal,
      onUnreadable: (problem: UnreadableObject) => {
        heard();
        observer.skipped(problem);
        if (problem.key !== undefined) {
          sink.leaveOut(problem.key);
        }
        version = problem.resourceVersion ?? version;
      },
    };
    await client.watch(resource, request, (event) => {
      if (event.type === 'BOOKMARK') {
        heard();
        version = event.resourceVersion;
        return;
      }
      const object = transformed(event.object);
      if (object instanceof UnreadableObject) {
        request.onUnreadable(object);
        return;
      }
      heard();
      sink.apply({ type: event.type, object });
      version = event.object.metadata.resourceVersion;
    });
    observer.heard();
    return clock.now() - started < timeoutSeconds * 1_000 - early;
  };

  /** A list of one object costs the server next to nothing. */
  const newestVersion = async (stopped: AbortSignal): Promise<string> => {
    const { projection: kept, namespace } = selection;
    const { metadata } = await client.list(resource, {
      ...(kept === undefined ? {} : { projection: kept }),
      ...(namespace === undefined ? {} : { namespace }),
      limit: 1,
      // Only the version matters, not the object.
      onUnreadable: () => undefined,
      signal: AbortSignal.any([signal, stopped]),
    });
    return metadata.resourceVersion;
  };
  const age = createAgeQuestion({ newestVersion, isBusy, onOlder: relist, clock });
  signal.addEventListener('abort', age.drop, { once: true });

  const aborted = (): boolean => signal.aborted;
  const isToldAgain = (): boolean => mustRelist;

  const beginTurn = (): (() => void) => {
    const begun = new AbortController();
    const end = (): void => begun.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    turn = begun;
    return () => signal.removeEventListener('abort', end);
  };

  while (!aborted()) {
    const started = clock.now();
    events = 0;
    let isWatching = false;
    const endTurn = beginTurn();
    try {
      if (mustRelist) {
        mustRelist = false;
        isRestored = true;
        replaced = version ?? replaced;
        version = undefined;
      }
      let isUnknown = false;
      if (version !== undefined && mightBeRestored) {
        const answer = await age.ask(version, turn.signal);
        isUnknown = answer === 'unknown';
        isRestored = answer === 'older';
        if (isRestored || inVain >= mostInVain) {
          replaced = version;
          version = undefined;
        }
      }
      mightBeRestored = false;
      if (version === undefined) {
        age.drop();
        version = await listUnbroken();
        isRestored = false;
        inVain = 0;
        if (isToldAgain()) {
          continue;
        }
      }
      isWatching = true;
      const isEarly = await watch(version);
      if (isEarly) {
        age.doubt();
      }
      mightBeRestored = isEarly || isUnknown;
      // A server that ends each watch at once, whatever it sent, must not be asked in a tight loop.
      if (clock.now() - started < 1000) {
        throw new Error(`the watch ended within a second and brought ${events === 0 ? 'nothing' : events}`);
      }
      failures = 0;
      expired = 0;
      inVain = 0;
    } catch (error) {
      if (aborted()) {
        return;
      }
      if (mustRelist) {
        continue;
      }
      const lasted = clock.now() - started;
      if (events > 0 || lasted >= healthy) {
        failures = 0;
      }
      if (!isGone(error) || lasted >= retry.max) {
        expired = 0;
      }
      // An expired version is not the server's fault, so the list follows at once, unless that did not help
      // before.
      const row = Math.max(failures, expired);
      const immediately = isGone(error) && row === 0 && clock.now() - relisted >= retry.max;
      relisted = immediately ? clock.now() : relisted;
      const delay = immediately ? 0 : backoffDelay(row, { ...retry, random });
      if (isGone(error) || refusesRequest(error)) {
        replaced = version ?? replaced;
        version = undefined;
      }
      failures += 1;
      expired += isGone(error) ? 1 : 0;
      if (isWatching && !isBusy(error)) {
        inVain = events > 0 ? 0 : inVain + 1;
      }
      mightBeRestored = true;
      age.doubt();
      observer.failed(error, delay);
      await sleep(clock, delay, turn.signal).catch(() => undefined);
    } finally {
      endTurn();
    }
  }
}

/** Servers without streamed lists, or with the feature turned off, reject the request as invalid or bad. */
function refusesToStream(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 406, 422].includes(error.code);
}

/** A list would cost a busy server even more than the watch that it had no time for. */
function isBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 429;
}

/** If a watch is rejected as invalid, it can only be because of its version, and would be rejected again. */
function refusesRequest(error: unknown): boolean {
  return error instanceof ApiError && [400, 422].includes(error.code);
}
