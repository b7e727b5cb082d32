import { Counter, Gauge, type Registry } from 'prom-client';

export interface LeakReportMetrics {
  /** Reports the count of the last complete list of the driver. */
  unclaimed(driver: string, count: number): void;
  /** Counts a list that has ended. */
  listed(driver: string, result: 'whole' | 'partial' | 'error'): void;
  /** Ends the reports of this process. */
  clear(): void;
}

export function createLeakReportMetrics(registry: Registry): LeakReportMetrics {
  const volumes = new Gauge({
    name: 'pv_reclaim_unclaimed_storage_volumes',
    help: 'Storage volumes that no PersistentVolume has named for over an hour, by the last whole list of the driver; at most 10,000.',
    labelNames: ['driver'],
    registers: [registry],
  });
  const lists = new Counter({
    name: 'pv_reclaim_storage_lists_total',
    help: 'Lists of storage volumes, by driver and result (whole, partial, error).',
    labelNames: ['driver', 'result'],
    registers: [registry],
  });
  return {
    unclaimed: (driver, count) => volumes.set({ driver }, count),
    listed: (driver, result) => lists.inc({ driver, result }),
    clear: () => volumes.reset(),
  };
}
