import { apiVersionOf, type EventsEvent, type JsonPatch } from '@holdfast/core';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';

/** One request that a recorder made. */
export type SinkRequest =
  | { readonly verb: 'create'; readonly event: EventsEvent }
  | { readonly verb: 'patch'; readonly name: string; readonly series: EventsEvent['series'] };

/** The event endpoints of an API server that is always there, unless `trouble` says otherwise. */
export interface EventSink {
  readonly client: ApiClient;
  readonly requests: readonly SinkRequest[];
  /** What is stored, by name. */
  readonly stored: ReadonlyMap<string, EventsEvent>;
  /** Throws what the next requests are to fail with; a promise holds them up. Default: nothing. */
  trouble: (() => void | Promise<void>) | undefined;
  /** As after an event's hour. */
  expire(): void;
}

export function createEventSink(): EventSink {
  const requests: SinkRequest[] = [];
  const stored = new Map<string, EventsEvent>();
  const unused = (): never => {
    throw new Error('a recorder has no use for this');
  };
  /** Waits for the trouble to be over, no longer than the client does. */
  const pass = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      Promise.resolve()
        .then(() => sink.trouble?.())
        .then(resolve, reject);
    });
  const sink: EventSink = {
    requests,
    stored,
    trouble: undefined,
    expire: () => stored.clear(),
    client: {
      create: async (resource, namespace, object, options) => {
        options?.signal?.throwIfAborted();
        const event = object as EventsEvent;
        requests.push({ verb: 'create', event });
        await pass(options?.signal);
        if (apiVersionOf(resource) !== 'events.k8s.io/v1' || event.metadata.namespace !== namespace) {
          throw new Error('not created where it belongs');
        }
        if (stored.has(event.metadata.name)) {
          throw new ApiError('POST /events', 409, { reason: 'AlreadyExists' });
        }
        stored.set(event.metadata.name, event);
        return object as never;
      },
      patch: async (_resource, { name }, patch: JsonPatch, options) => {
        options?.signal?.throwIfAborted();
        const [operation, ...rest] = patch;
        if (operation?.op !== 'add' || operation.path !== '/series' || rest.length > 0) {
          throw new Error(`a recorder patches the series only, not ${JSON.stringify(patch)}`);
        }
        const series = operation.value as EventsEvent['series'];
        requests.push({ verb: 'patch', name, series });
        await pass(options?.signal);
        const event = stored.get(name);
        if (event === undefined) {
          throw new ApiError(`PATCH /events/${name}`, 404, { reason: 'NotFound' });
        }
        stored.set(name, { ...event, ...(series === undefined ? {} : { series }) });
        return event as never;
      },
      get: unused,
      list: unused,
      listPages: unused,
      delete: unused,
      watch: unused,
      serverTime: () => undefined,
      close: () => Promise.resolve(),
    },
  };
  return sink;
}
