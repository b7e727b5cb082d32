import type { Logger } from 'pino';
import { ApiError } from '../client/api-error.ts';
import { isLookOver } from '../client/look.ts';
import { systemClock, type Clock, type ClockTimer } from '../time/clock.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import { createFairShare } from '../sharing/fair-share.ts';
import { createTurns, type InTurn } from '../sharing/turns.ts';
import type { Priority } from '../queue/ready-keys.ts';
import { createWorkQueue, type WorkQueue } from '../queue/work-queue.ts';
import type { WorkQueueMetrics } from '../queue/work-queue-metrics.ts';
import { createLooksInVain } from './looks-in-vain.ts';
import { reconcileFields } from './reconcile-id.ts';
import { checkResult, type ReconcileResult } from './reconcile-result.ts';

/** An error that a retry cannot fix: the key is not retried until an event wakes it. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** The abort reason of a reconcile that took longer than {@link ControllerWork.timeout}. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout';
}

/**
 * The longest time until a key is looked at again whose object was not as it was read, in milliseconds,
 * however often the key has failed before.
 */
const longestUntilLook = 30_000;
/** The longest time between looks that are asked for at once, again and again, in milliseconds. */
const longestAtOnce = 1_000;

/** What a controller does with its keys. `batch` is undefined if the keys share nothing. */
export interface ControllerWork<Batch = undefined> {
  /**
   * How many keys are worked on at once. With groups, it applies to each group, and the total is twice as
   * many. Default: 10.
   */
  readonly concurrency?: number;
  /**
   * Returns the group that a key belongs to, for example its namespace. No group can occupy all workers,
   * however long its reconciles take: see {@link createFairShare}. Keys of one group are taken from the queue
   * together. Default: no groups.
   */
  readonly groupOf?: (key: string) => string;
  /** The most keys in a batch. Default: 500. */
  readonly batchSize?: number;
  /** Whether a batch can mix keys of several groups. Default: false, a batch has keys of one group. */
  readonly mixedBatches?: boolean;
  /** Called once for each batch taken from the queue; creates what its keys share. Default: nothing. */
  readonly openBatch?: (keys: readonly string[]) => Batch;
  /**
   * Brings the object that the key names to the state that it should have, from what is known now. It
   * receives a key, never an event. It must be correct however often it is called, and safe to stop at any
   * await.
   *
   * The signal is this reconcile's own: it is not aborted any more once the reconcile has ended.
   *
   * @throws TerminalError if a retry is useless. LookTooOld and LookOvertaken count as `lookAgain`. Any other
   *   error counts as a failure, and the key is retried with a growing delay.
   */
  readonly reconcile: (key: string, batch: Batch, signal: AbortSignal) => Promise<ReconcileResult>;
  /**
   * A reconcile is aborted after this many milliseconds, or up to a tenth later, with a
   * {@link ReconcileTimeout}, and counts as failed. Default: 60000.
   */
  readonly timeout?: number;
}

/** A controller whose keys share nothing. */
export interface ControllerOptions<Batch = undefined> extends ControllerWork<Batch> {
  /** Name in metrics and logs, for example `pvc-protection`. */
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  readonly queueMetrics: WorkQueueMetrics;
  readonly clock?: Clock;
}

/** A controller whose keys share something, for example one live list for all of them. */
export interface BatchControllerOptions<Batch> extends ControllerOptions<Batch> {
  readonly openBatch: (keys: readonly string[]) => Batch;
}

/** A queue and the workers that empty it. */
export interface Controller {
  readonly queue: WorkQueue;
  /**
   * Works until `signal` is aborted, then lets reconciles under way finish within their timeout. `abandon`
   * aborts these too (a lost lease, a second signal). Never rejects.
   */
  run(signal: AbortSignal, abandon?: AbortSignal): Promise<void>;
}

/**
 * Creates a controller's work loop. A key is never worked on twice at once, a failed key is retried with a
 * delay that grows with its failures, and every key is returned to the queue whatever happens.
 *
 * @throws Error for a concurrency, batch size or timeout with which no key would ever be worked on.
 */
export function createController(options: ControllerOptions): Controller;
export function createController<Batch>(options: BatchControllerOptions<Batch>): Controller;
export function createController<Batch>(options: ControllerOptions<Batch>): Controller {
  const {
    name,
    logger,
    metrics,
    concurrency = 10,
    groupOf,
    openBatch,
    timeout = 60_000,
    batchSize,
    clock = systemClock,
  } = options;
  mustBeCount(name, 'concurrency', concurrency);
  if (batchSize !== undefined) {
    mustBeCount(name, 'batchSize', batchSize);
  }
  if (!(timeout > 0)) {
    throw new Error(`controller "${name}": timeout is ${String(timeout)}; give milliseconds above 0`);
  }
  const queue = createWorkQueue({
    clock,
    metrics: options.queueMetrics,
    ...(groupOf === undefined ? {} : { groupOf }),
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(options.mixedBatches === undefined ? {} : { mixedBatches: options.mixedBatches }),
  });
  /** A group that is alone gets half of the workers. */
  const workers = groupOf === undefined ? concurrency : 2 * concurrency;

  /** When each key failed first that has not succeeded since: the one that has failed for longest comes first. */
  const failingSince = new Map<string, number>();
  metrics.observe(() => {
    const [first] = failingSince.values();
    return first === undefined ? 0 : clock.now() - first;
  });

  const inVain = createLooksInVain(name, { clock, logger });
  /** How often keys have asked for a look at once, without another result in between. */
  const atOnce = new Map<string, number>();

  /**
   * A look at once is one after 1 ms, and then ever less often: a key that asks for it again and again, such as
   * by a time that has passed, would leave no time for timers and sockets, including those of the lease.
   */
  const lookAfter = (key: string, delay: number, priority?: Priority): void => {
    if (delay >= 1) {
      atOnce.delete(key);
      queue.addAfter(key, delay, priority);
      return;
    }
    const times = atOnce.get(key) ?? 0;
    atOnce.set(key, times + 1);
    queue.addAfter(key, Math.min(2 ** times, longestAtOnce), priority);
  };

  const forget = (key: string): void => {
    failingSince.delete(key);
    queue.forget(key);
  };

  const settle = (key: string, result: ReconcileResult, signal: AbortSignal | undefined): void => {
    checkResult(key, result);
    switch (result.kind) {
      case 'done':
        inVain.over(key);
        atOnce.delete(key);
        forget(key);
        metrics.reconciled('success');
        break;
      case 'requeueAfter':
        inVain.over(key);
        forget(key);
        lookAfter(key, result.delay, result.behind === true ? 'initial' : 'event');
        metrics.reconciled('requeue_after');
        break;
      case 'lookAgain':
        lookAgain(key, result.reason, signal);
        break;
      case 'failed':
        fail(key, result.error, signal, result.delay);
        break;
    }
  };

  const lookAgain = (
    key: string,
    reason: string,
    signal: AbortSignal | undefined,
    within = Infinity,
  ): void => {
    logger.debug({ controller: name, key, ...reconcileFields(signal), reason }, 'Look again');
    inVain.again(key, reason);
    atOnce.delete(key);
    queue.addRateLimited(key, Math.min(within, longestUntilLook), 'look');
    metrics.reconciled('requeue');
  };

  /**
   * Records a failed reconcile and retries the key.
   *
   * @param signal of the reconcile; undefined if it had not begun.
   * @param within the key is looked at again after at most this many milliseconds. Default: after its
   *   back-off.
   */
  const fail = (key: string, error: unknown, signal?: AbortSignal, within?: number): void => {
    if (isLookOver(error)) {
      lookAgain(key, error.message, signal, within);
      return;
    }
    const fields = { controller: name, key, ...reconcileFields(signal), err: error };
    inVain.over(key);
    metrics.reconciled('error');
    if (error instanceof TerminalError) {
      forget(key);
      metrics.terminalError();
      logger.error(fields, 'Reconcile failed for good');
      if (within === undefined) {
        atOnce.delete(key);
      } else {
        lookAfter(key, within);
      }
      return;
    }
    logger.error({ ...fields, failures: queue.failures(key) + 1 }, 'Reconcile failed');
    if (!failingSince.has(key)) {
      failingSince.set(key, clock.now());
    }
    atOnce.delete(key);
    queue.addRateLimited(key, within, kindOf(error));
  };

  const work = async (key: string, batch: Batch, slot: WorkerSlot, abandon: AbortSignal): Promise<void> => {
    const started = clock.now();
    metrics.started();
    const signal = slot.begin(key, started, timeout);
    try {
      const result = await options.reconcile(key, batch, signal);
      // A result after the abort is ignored, because the reconcile might have left something undone.
      signal.throwIfAborted();
      settle(key, result, signal);
    } catch (error) {
      if (!abandon.aborted) {
        fail(key, error, signal);
      }
    } finally {
      slot.end();
      metrics.finished(clock.now() - started);
      queue.done(key);
    }
  };

  /**
   * Checks all workers ten times within the timeout: a timer for each reconcile would cost more than most
   * reconciles.
   */
  const createWatchdog = (slots: readonly WorkerSlot[]): ClockTimer => {
    let timer: ClockTimer;
    const look = (): void => {
      for (const slot of slots) {
        const current = slot.current();
        const tookMs = clock.now() - (current?.since ?? Infinity);
        if (current === undefined || tookMs < current.patience) {
          continue;
        }
        const { key, signal } = current;
        // By the time that has passed, since that can be much more than it was to be: the process was stopped.
        current.patience = 2 * tookMs;
        if (!signal.aborted) {
          metrics.timedOut();
          slot.abort(new ReconcileTimeout(`reconcile of "${key}" took longer than ${String(timeout)} ms`));
        } else {
          logger.error(
            { controller: name, key, ...reconcileFields(signal), tookMs: Math.round(tookMs) },
            'Reconcile goes on after it was aborted, and its key and worker wait for it',
          );
        }
      }
      timer = clock.after(timeout / 10, look);
    };
    timer = clock.after(timeout / 10, look);
    return { cancel: () => timer.cancel() };
  };

  /**
   * Takes batches while workers are idle, and resolves when the queue has ended and every key was returned.
   */
  const workAll = (slots: readonly WorkerSlot[], signal: AbortSignal, abandon: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const idle = [...slots];
      const share = createFairShare(slots.length);
      /** Keys that were taken from the queue and have no worker yet. */
      const backlog = createTurns<Task<Batch>>();
      let isTaking = false;
      let hasEnded = false;

      const take = async (): Promise<void> => {
        isTaking = true;
        const keys = await queue.take();
        isTaking = false;
        if (keys === undefined) {
          hasEnded = true;
        } else {
          open(keys);
        }
        dispatch();
      };

      const open = (keys: readonly string[]): void => {
        let batch: Batch;
        try {
          // If there is no openBatch, Batch is undefined, as the overloads state.
          batch = openBatch?.(keys) as Batch;
        } catch (error) {
          for (const key of keys) {
            fail(key, error);
            queue.done(key);
          }
          return;
        }
        for (const key of keys) {
          const group = groupOf?.(key) ?? key;
          backlog.add(group, { key, batch });
          // The queue holds the keys of a group that cannot have a worker now. In the backlog they would lose
          // their priority.
          queue.hold(group);
        }
      };

      const next = (mayGoOn: (group: string) => boolean): InTurn<Task<Batch>> | undefined => {
        const found = backlog.next(mayGoOn);
        if (found !== undefined && !backlog.has(found.group)) {
          queue.release(found.group);
        }
        return found;
      };

      const begin = async (
        slot: WorkerSlot,
        { group, value: { key, batch } }: InTurn<Task<Batch>>,
      ): Promise<void> => {
        share.take(group);
        await work(key, batch, slot, abandon);
        share.giveBack(group);
        idle.push(slot);
        dispatch();
      };

      const dispatch = (): void => {
        if (signal.aborted) {
          giveBackAll();
        }
        for (let slot = idle.at(-1); slot !== undefined; slot = idle.at(-1)) {
          const found = next(share.mayTake);
          if (found === undefined) {
            break;
          }
          idle.pop();
          begin(slot, found).catch(reject);
        }
        if (!isTaking && !hasEnded && idle.length > 0) {
          take().catch(reject);
        } else if (hasEnded && idle.length === slots.length) {
          resolve();
        }
      };

      const giveBackAll = (): void => {
        for (let found = next(() => true); found !== undefined; found = next(() => true)) {
          queue.done(found.value.key);
        }
      };

      dispatch();
    });

  return {
    queue,
    run: async (signal, abandon = new AbortController().signal) => {
      const slots = Array.from({ length: workers }, createWorkerSlot);
      const stop = (): void => queue.shutDown();
      const abandonAll = (): void => slots.forEach((slot) => slot.abort(abandon.reason as Error));
      if (signal.aborted) {
        stop();
      }
      signal.addEventListener('abort', stop, { once: true });
      abandon.addEventListener('abort', abandonAll, { once: true });
      const watchdog = createWatchdog(slots);
      metrics.workers(workers);
      await workAll(slots, signal, abandon);
      metrics.workers(0);
      watchdog.cancel();
      signal.removeEventListener('abort', stop);
      abandon.removeEventListener('abort', abandonAll);
    },
  };
}

/** Keys that failed alike have the same, and wait for each other. It is nothing that others can choose freely. */
function kindOf(error: unknown): string {
  return error instanceof ApiError ? String(error.code) : 'error';
}

function mustBeCount(controller: string, option: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new Error(
      `controller "${controller}": ${option} is ${String(value)}; give a whole number of at least 1`,
    );
  }
}

/** One key for a worker, with its batch. */
interface Task<Batch> {
  readonly key: string;
  readonly batch: Batch;
}

/** A reconcile under way. */
interface UnderWay {
  readonly key: string;
  readonly since: number;
  readonly signal: AbortSignal;
  /** After how many milliseconds something is to be done about it. */
  patience: number;
}

/** The reconcile that one worker is at. */
interface WorkerSlot {
  /** @returns the signal for the reconcile that begins. */
  begin(key: string, since: number, patience: number): AbortSignal;
  end(): void;
  /** Aborts the reconcile under way, if there is one. */
  abort(reason: Error): void;
  current(): UnderWay | undefined;
}

/**
 * Each reconcile has a signal of its own. What it has left on the signal would otherwise stay there for good, and act
 * when another reconcile of the worker is aborted, perhaps days after it has ended.
 */
function createWorkerSlot(): WorkerSlot {
  let controller: AbortController | undefined;
  let current: UnderWay | undefined;
  return {
    begin: (key, since, patience) => {
      controller = new AbortController();
      const { signal } = controller;
      current = { key, since, signal, patience };
      return signal;
    },
    end: () => {
      controller = undefined;
      current = undefined;
    },
    abort: (reason) => controller?.abort(reason),
    current: () => current,
  };
}
