import { hostname } from 'node:os';
import { apiVersionOf, eventsV1, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';

/** What an Event says. */
export interface EventText {
  readonly type: 'Normal' | 'Warning';
  /** Why, for machines: UpperCamelCase, at most 128 characters, for example `DeletionPostponed`. */
  readonly reason: string;
  /** What was done or not done about it, for machines: UpperCamelCase, at most 128 characters. */
  readonly action: string;
  /** For people; cut after 1,024 bytes, the API server's limit. */
  readonly note: string;
  /** A second object that the event is about, for example the pod that holds a claim. */
  readonly related?: { readonly resource: ApiResource<KubernetesObject>; readonly object: KubernetesObject };
}

/** Tells the users of an object what a controller did about it, or could not do. */
export interface EventRecorder {
  /**
   * Takes note and returns at once: never throws, never waits, never slows down who calls. An event may get lost (the API
   * server refuses it, too many wait); nothing may depend on one.
   */
  record<T extends KubernetesObject>(resource: ApiResource<T>, object: T, text: EventText): void;
  /** Sends what is recorded until aborted, then what is still waiting, for a short while. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: ApiClient;
  /** Name of the app; events say `holdfast.dev/<app>`. */
  readonly app: string;
  readonly logger: Logger;
}

/** Recorder of Events of group events.k8s.io/v1, in the namespace of their object; of a cluster's object in `default`. */
export function createEventRecorder({ client, app, logger }: EventRecorderOptions): EventRecorder {
  const reportingController = `holdfast.dev/${app}`;
  const reportingInstance = `${reportingController}-${hostname()}`.slice(0, 128);
  const waiting: { readonly namespace: string; readonly event: object }[] = [];
  let wake: (() => void) | undefined;

  const send = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await client.create(eventsV1, next.namespace, next.event);
      } catch (error) {
        logger.warn({ err: error }, 'Event not recorded');
      }
    }
  };

  return {
    record: (resource, { metadata }, { type, reason, action, note }) => {
      const namespace = metadata.namespace ?? 'default';
      waiting.push({
        namespace,
        event: {
          metadata: { generateName: `${metadata.name}.`, namespace },
          eventTime: `${new Date().toISOString().slice(0, -1)}000Z`,
          type,
          reason,
          action,
          note,
          reportingController,
          reportingInstance,
          regarding: {
            apiVersion: apiVersionOf(resource),
            kind: resource.kind,
            name: metadata.name,
            uid: metadata.uid,
            resourceVersion: metadata.resourceVersion,
            ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
          },
        },
      });
      wake?.();
    },
    run: async (signal) => {
      signal.addEventListener('abort', () => wake?.(), { once: true });
      while (!signal.aborted) {
        await send();
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (signal.aborted) {
              resolve();
            }
          });
        }
      }
      await send();
    },
  };
}
