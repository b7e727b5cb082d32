import { sleep, type Clock } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { CsiDrivers } from '../csi/csi-drivers.ts';
import type { LeakReportMetrics } from './leak-report-metrics.ts';
import { listStorage } from './list-storage.ts';
import { createUnclaimedStorage, type UnclaimedStorage } from './unclaimed-storage.ts';

export interface LeakReportOptions {
  readonly drivers: Pick<CsiDrivers, 'connected' | 'canListVolumes' | 'listVolumes'>;
  /** Returns whether a PersistentVolume names the storage volume, or storage that overlaps it. */
  readonly isNamed: (driver: string, handle: string) => boolean;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'debug'>;
  readonly metrics: LeakReportMetrics;
}

/**
 * Time between two lists of a driver, and until the first one, so that drivers can connect, in milliseconds.
 */
const period = 600_000;
const firstAfter = 60_000;

/**
 * Asks the connected drivers that have LIST_VOLUMES for their storage volumes, and reports those that no
 * PersistentVolume has named for over an hour, with a metric and one log line each. It deletes nothing, and
 * writes nothing to the API server.
 *
 * Each driver is asked separately, so one that hangs only costs its own report. The volumes' informer must be
 * synced before this runs.
 *
 * @returns a function that runs until aborted, and never rejects.
 */
export function createLeakReport(options: LeakReportOptions): (signal: AbortSignal) => Promise<void> {
  const { drivers, isNamed, clock, logger, metrics } = options;
  const memories = new Map<string, UnclaimedStorage>();
  const underWay = new Set<string>();

  const report = async (driver: string, signal: AbortSignal): Promise<void> => {
    if (!(await drivers.canListVolumes(driver, signal))) {
      return;
    }
    const memory = memories.get(driver) ?? createUnclaimedStorage();
    memories.set(driver, memory);
    memory.begin();
    let problem: unknown;
    try {
      problem = await listStorage(
        (maxEntries, token) => drivers.listVolumes(driver, maxEntries, token, signal),
        (handle) => memory.listed(handle, isNamed(driver, handle), clock.now()),
        clock,
      );
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    signal.throwIfAborted();
    const { news, count, hasMore } = memory.end(problem === undefined, clock.now());
    for (const handle of news) {
      logger.warn({ driver, handle }, 'Storage volume has no PersistentVolume');
    }
    if (problem === undefined) {
      metrics.unclaimed(driver, count);
    }
    metrics.listed(driver, problem === undefined ? 'whole' : 'partial');
    if (problem !== undefined || hasMore) {
      logger.warn({ driver, problem, unclaimed: count, hasMore }, 'Leak report is not whole');
    } else {
      logger.debug({ driver, unclaimed: count }, 'Leak report');
    }
  };

  return async (signal) => {
    try {
      await sleep(clock, firstAfter, signal);
      for (;;) {
        for (const driver of drivers.connected()) {
          if (!underWay.has(driver)) {
            underWay.add(driver);
            void report(driver, signal)
              .catch((error: unknown) => {
                if (!signal.aborted) {
                  metrics.listed(driver, 'error');
                  logger.warn({ driver, err: error }, 'Leak report failed');
                }
              })
              .finally(() => underWay.delete(driver));
          }
        }
        await sleep(clock, period, signal);
      }
    } catch {
      // Aborted.
      metrics.clear();
    }
  };
}
