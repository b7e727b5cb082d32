import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { isGone } from '../client/api-error.ts';
import type { ApiClient, SelectionOptions, WatchEvent } from '../client/api-client.ts';
import { backoffDelay } from '../backoff.ts';
import { sleep, type Clock } from '../clock.ts';

/** Where a reflector puts what it sees. */
export interface ReflectorSink<T> {
  /** The whole truth at one resourceVersion: what is not in it is gone. */
  replace(objects: readonly T[]): void;
  /** One change after it. */
  apply(event: Extract<WatchEvent<T>, { readonly object: T }>): void;
}

/** What a reflector lives through, for metrics and logs. */
export interface ReflectorObserver {
  listed(count: number): void;
  watchStarted(): void;
  /** The watch or list failed and is tried again after the delay (milliseconds). */
  failed(error: unknown, delay: number): void;
}

export interface ReflectorOptions<T extends KubernetesObject> extends SelectionOptions {
  readonly client: ApiClient;
  readonly resource: ApiResource<T>;
  readonly sink: ReflectorSink<T>;
  /** Applied to each object as it comes, so that a large list is never held whole. Default: the object as it is. */
  readonly transform?: (object: T) => T;
  readonly observer: ReflectorObserver;
  readonly clock: Clock;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
  /** Objects a list page. Default 500, client-go's. */
  readonly pageSize?: number;
  /**
   * A watch that stays silent so long (milliseconds) is given up as dead and taken up again where it was. Default 90000:
   * the API server sends a bookmark about once a minute.
   */
  readonly silenceLimit?: number;
}

const retry = { initial: 800, max: 30_000, factor: 2, jitter: 1 };
/** A watch that held this long (milliseconds) ends a row of failures, events or none. */
const healthy = 120_000;

/**
 * Keeps a sink equal to what the API server holds of one resource: a paged list, then a watch from its version, for as long
 * as the signal is not aborted.
 *
 * Guarantees, which are client-go's: every change reaches the sink once and in order, or is contained in a later
 * `replace`; a watch that ends is taken up where it ended; one whose version is gone (410, as status or as event) is
 * followed at once by a new list; any other failure is retried for ever, after 800 ms to 30 s and as much again at random;
 * the delay grows with failures in a row, between which no event came.
 * Our own because client-node's informer stops for good on any error but 410 and asks for no bookmarks.
 *
 * Resolves when aborted, never rejects.
 */
export async function runReflector<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const {
    client,
    resource,
    sink,
    transform = (object: T): T => object,
    observer,
    clock,
    random = Math.random,
  } = options;
  const { pageSize = 500, silenceLimit = 90_000 } = options;
  const selection: SelectionOptions = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  };
  let version: string | undefined;
  let failures = 0;
  let events = 0;

  const list = async (): Promise<string> => {
    const objects: T[] = [];
    let listed = '';
    for await (const page of client.listPages(resource, { ...selection, limit: pageSize, signal })) {
      for (const object of page.items) {
        objects.push(transform(object));
      }
      listed = page.metadata.resourceVersion;
    }
    sink.replace(objects);
    observer.listed(objects.length);
    return listed;
  };

  const watch = async (from: string): Promise<void> => {
    observer.watchStarted();
    const request = {
      ...selection,
      resourceVersion: from,
      timeoutSeconds: Math.round(300 * (1 + random())),
      silenceLimit,
      signal,
    };
    await client.watch(resource, request, (event) => {
      events += 1;
      if (event.type === 'BOOKMARK') {
        version = event.resourceVersion;
      } else {
        sink.apply({ type: event.type, object: transform(event.object) });
        version = event.object.metadata.resourceVersion;
      }
    });
  };

  const aborted = (): boolean => signal.aborted;

  while (!aborted()) {
    const started = clock.now();
    events = 0;
    try {
      version ??= await list();
      await watch(version);
      // A server that ends each watch at once, with nothing sent, must not be asked in a tight loop.
      if (clock.now() - started < 1000 && events === 0) {
        throw new Error('the watch ended within a second and brought nothing');
      }
      failures = 0;
    } catch (error) {
      if (aborted()) {
        return;
      }
      if (events > 0 || clock.now() - started >= healthy) {
        failures = 0;
      }
      // A version that is too old is no fault of the server's: it is asked for a list at once, unless that does not help.
      const immediately = isGone(error) && failures === 0;
      const delay = immediately ? 0 : backoffDelay(failures, { ...retry, random });
      if (isGone(error)) {
        version = undefined;
      }
      failures += 1;
      observer.failed(error, delay);
      await sleep(clock, delay, signal).catch(() => undefined);
    }
  }
}
