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
import type { UnreadableObject } from '../wire/unreadable-object.ts';

/** Receives what a reflector reads. */
export interface ReflectorSink<T> {
  /**
   * All objects at one resourceVersion: an object that is not among them is gone.
   *
   * @param isRestored the server's data were set back since: it has given versions a second time, so that an object can have changed although
   *   its version is the known one.
   */
  replace(objects: readonly T[], isRestored: boolean): void;
  /** The object can't be read any more, or has been deleted in a form that can't be read. */
  leaveOut(key: ObjectKey): void;
  /** One change since then. */
  apply(event: Extract<WatchEvent<T>, { readonly object: T }>): void;
}

/** Learns what a reflector does, for metrics and logs. */
export interface ReflectorObserver {
  listed(count: number): void;
  watchStarted(): void;
  /** The server said something: a list, an event, the normal end of a watch. */
  heard(): void;
  /** An object can't be read; the sink goes without it. */
  skipped(problem: UnreadableObject): void;
  /** The watch or list failed and is tried again after the delay (milliseconds). */
  failed(error: unknown, delay: number): void;
}

export interface ReflectorOptions<T extends KubernetesObject> extends SelectionOptions, Projected<T> {
  readonly client: ApiClient;
  readonly resource: ApiResource<T>;
  readonly sink: ReflectorSink<T>;
  /** Applied to each object as it comes, after the projection. Default: the object as it is. */
  readonly transform?: (object: T) => T;
  readonly observer: ReflectorObserver;
  readonly clock: Clock;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
  /** How the first state is asked for. Default `streamed`, where the server knows how. */
  readonly lists?: 'streamed' | 'paged';
  /**
   * A watch that is silent for this many milliseconds is given up as dead, and resumed where it was. Default 50000: a watch is
   * never asked for longer than 45 s, and its end is a sign of life.
   */
  readonly silenceLimit?: number;
}

const retry = { initial: 800, max: 30_000, factor: 2, jitter: 1 };
/** A watch that lasted this many milliseconds resets the count of failures, with or without events. */
const healthy = 120_000;

/**
 * The server is asked to end a watch after `least` seconds, and up to `spread` more at random. client-go asks for five to ten
 * minutes, and notices dead connections by the pings of HTTP/2. HTTP/1.1 has none; TCP's keepalive sees no further than the next
 * proxy; and bookmarks come once a minute, or never for a resource that has not changed since the API server started. A watch that
 * is to end soon must show a sign of life soon, whatever the server and the network. That costs one request in 40 s, on a
 * connection that is open.
 */
const watchTime = { least: 35, spread: 10 };
/** A watch that ends this much before its time, in milliseconds, was ended for another reason: clocks and the way account for less. */
const early = 2_000;
/**
 * How long a streamed list may take, in seconds, and how long it may pause, in milliseconds. A server that never sends the bookmark
 * at its end, or a proxy that holds it back, is soon asked for pages instead.
 */
const streamTime = 600;
const streamPause = 10_000;

/**
 * Keeps a sink equal to what the API server holds of one resource, by a list and a watch from its version, until the signal is
 * aborted. The list is streamed by a watch where the server can do that; a server that refuses it is asked for pages from then on,
 * and a streamed list that fails is followed by one in pages.
 *
 * Ours because client-node's informer stops for good on any error but 410, and asks for no bookmarks.
 *
 * # Guarantees
 * These are client-go's. Every change reaches the sink once and in order, or is contained in a later `replace`. A watch that ends is
 * resumed where it ended; one whose version is gone (410, as status or as event) is followed at once by a new list, once in 30 s at the
 * most. One whose version the server refuses is followed by a new list as well. A watch that ends within a second is a failure, whatever it brought. Any failure is retried for ever, after 800 ms to 30 s and
 * up to as much again at random; the delay grows with the failures in a row, between which no event came. An object that can't be read
 * is left out, and holds up no other.
 *
 * Beyond client-go: after such a failure, and after a watch that the server ended before its time, as one does that is shut down, the
 * server is asked for its newest version, and when that is older than what was seen before, all is listed anew. The server's data were restored from a backup then, and a watch from a version that it has yet to reach would
 * bring nothing, without an error, until it has (tried on 1.36).
 *
 * # Errors
 * Resolves when aborted, and never rejects.
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
  const { lists = 'streamed', silenceLimit = 50_000 } = options;
  const selection: SelectionOptions & Projected<T> = {
    ...(projection === undefined ? {} : { projection }),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  };
  let version: string | undefined;
  let failures = 0;
  let events = 0;
  /** When it was last listed again at once. */
  let relisted = -Infinity;
  /** The server that a watch was broken off by, or that ended it before its time, might come back with older data. */
  let mightBeRestored = false;
  /** It has; the next list is the first of those data. */
  let isRestored = false;
  /** The version that the last list takes the place of. */
  let replaced: string | undefined;

  const replaceAll = (objects: readonly T[], listed: string): void => {
    observer.heard();
    sink.replace(objects, isRestored || (replaced !== undefined && isOlderVersion(listed, replaced)));
    observer.listed(objects.length);
  };

  const listPages = async (): Promise<string> => {
    const objects: T[] = [];
    let listed = '';
    for await (const page of client.listPages(resource, {
      ...selection,
      signal,
      onUnreadable: observer.skipped,
    })) {
      for (const object of page.items) {
        objects.push(transform(object));
      }
      listed = page.metadata.resourceVersion;
    }
    replaceAll(objects, listed);
    return listed;
  };

  const listStreamed = async (): Promise<string> => {
    const objects = new Map<ObjectKey, T>();
    let listed: string | undefined;
    /** When the first event came that is of no object's being there: these have all come by then, and their end is due. */
    let due: number | undefined;
    const request = {
      ...selection,
      sendInitialEvents: true,
      timeoutSeconds: streamTime,
      silenceLimit: streamPause,
      signal,
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
          const object = transform(event.object);
          objects.set(objectKey(object), object);
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
        // Something on the way knows watches, but no streamed lists, and each change would keep it open.
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
      const listed = await listPages();
      next = isRefused ? 'paged' : lists;
      return listed;
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

  /** @returns whether the server ended it before its time. */
  const watch = async (from: string): Promise<boolean> => {
    observer.watchStarted();
    const started = clock.now();
    const timeoutSeconds = Math.round(watchTime.least + watchTime.spread * random());
    const request = {
      ...selection,
      resourceVersion: from,
      timeoutSeconds,
      silenceLimit,
      signal,
      onUnreadable: (problem: UnreadableObject) => {
        events += 1;
        observer.heard();
        observer.skipped(problem);
        if (problem.key !== undefined) {
          sink.leaveOut(problem.key);
        }
        version = problem.resourceVersion ?? version;
      },
    };
    await client.watch(resource, request, (event) => {
      events += 1;
      observer.heard();
      if (event.type === 'BOOKMARK') {
        version = event.resourceVersion;
      } else {
        sink.apply({ type: event.type, object: transform(event.object) });
        version = event.object.metadata.resourceVersion;
      }
    });
    observer.heard();
    return clock.now() - started < timeoutSeconds * 1_000 - early;
  };

  /** Of the data that the server has now; a list of one object costs it next to nothing. */
  const newestVersion = async (): Promise<string> => {
    const { projection: kept, namespace } = selection;
    const { metadata } = await client.list(resource, {
      ...(kept === undefined ? {} : { projection: kept }),
      ...(namespace === undefined ? {} : { namespace }),
      limit: 1,
      // What the object is does not matter.
      onUnreadable: () => undefined,
      signal,
    });
    return metadata.resourceVersion;
  };

  const aborted = (): boolean => signal.aborted;

  while (!aborted()) {
    const started = clock.now();
    events = 0;
    try {
      if (version !== undefined && mightBeRestored && isOlderVersion(await newestVersion(), version)) {
        replaced = version;
        version = undefined;
        isRestored = true;
      }
      mightBeRestored = false;
      if (version === undefined) {
        version = await list();
        isRestored = false;
      }
      mightBeRestored = await watch(version);
      // A server that ends each watch at once, whatever it has sent, must not be asked in a tight loop.
      if (clock.now() - started < 1000) {
        throw new Error(`the watch ended within a second and brought ${events === 0 ? 'nothing' : events}`);
      }
      failures = 0;
    } catch (error) {
      if (aborted()) {
        return;
      }
      if (events > 0 || clock.now() - started >= healthy) {
        failures = 0;
      }
      // A version that is too old is not the server's fault: it is listed again at once, unless that did not help before.
      const immediately = isGone(error) && failures === 0 && clock.now() - relisted >= retry.max;
      relisted = immediately ? clock.now() : relisted;
      const delay = immediately ? 0 : backoffDelay(failures, { ...retry, random });
      if (isGone(error) || refusesRequest(error)) {
        replaced = version ?? replaced;
        version = undefined;
      }
      failures += 1;
      mightBeRestored = true;
      observer.failed(error, delay);
      await sleep(clock, delay, signal).catch(() => undefined);
    }
  }
}

/** Servers that do not have streamed lists, or have them turned off, call the request invalid or bad. */
function refusesToStream(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 406, 422].includes(error.code);
}

/** Of a watch it can only be the version that the server does not take: it would be refused again and again. */
function refusesRequest(error: unknown): boolean {
  return error instanceof ApiError && [400, 422].includes(error.code);
}
