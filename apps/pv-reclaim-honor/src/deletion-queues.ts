import type { ObjectKey } from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createWorkQueueMetrics,
  type Clock,
  type Controller,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { OurKeeper } from './decide/snapshot.ts';

/**
 * A queue of volumes for each keeper, with workers of its own that delete them on their storage.
 *
 * # Guarantees
 * A keeper that hangs delays only its own volumes. A queue never works on a volume twice at once, and there
 * are never more calls to a keeper under way than it has workers. For a waiting volume only its key is
 * stored.
 */
export interface DeletionQueues {
  /** Hands a volume over to the workers of its keeper; it is not queued twice. */
  add(keeper: OurKeeper, key: ObjectKey): void;
  /**
   * Works until aborted, as `Controller.run` does. Volumes added before or after that are dropped. Never
   * rejects.
   */
  run(signal: AbortSignal, abandon?: AbortSignal): Promise<void>;
}

export interface DeletionQueuesOptions {
  /**
   * The name of the app. In metrics and logs a queue is named `NAME/KEEPER`, for example
   * `pv-reclaim-honor/csi.example.com`.
   */
  readonly name: string;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly clock: Clock;
  /** How many volumes a keeper deletes at once. */
  readonly concurrencyOf: (keeper: OurKeeper) => number;
  /** The timeout of one try to delete a volume, in milliseconds. */
  readonly timeout: number;
  /** Deletes a volume, if that keeper still has to delete it. */
  readonly reconcile: (keeper: string, key: ObjectKey, signal: AbortSignal) => Promise<ReconcileResult>;
}

/**
 * Creates the queues. A keeper's queue is created with its first volume; there are as many as drivers and
 * in-tree plugins.
 */
export function createDeletionQueues(options: DeletionQueuesOptions): DeletionQueues {
  const { logger, registry, clock, concurrencyOf, timeout, reconcile } = options;
  const controllers = new Map<string, Controller>();
  let start: ((controller: Controller) => void) | undefined;

  const open = (keeper: OurKeeper): Controller => {
    const name = `${options.name}/${keeper.name}`;
    return createController({
      name,
      logger,
      metrics: createControllerMetrics(registry, name),
      queueMetrics: createWorkQueueMetrics(registry, name),
      concurrency: concurrencyOf(keeper),
      timeout,
      clock,
      reconcile: (key, _batch, signal) => reconcile(keeper.name, key, signal),
    });
  };

  return {
    add: (keeper, key) => {
      if (start === undefined) {
        return;
      }
      let controller = controllers.get(keeper.name);
      if (controller === undefined) {
        controller = open(keeper);
        controllers.set(keeper.name, controller);
        start(controller);
      }
      controller.queue.add(key);
    },
    run: async (signal, abandon) => {
      const running: Promise<void>[] = [];
      start = (controller) => {
        running.push(controller.run(signal, abandon));
      };
      await aborted(signal);
      start = undefined;
      await Promise.all(running);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}
