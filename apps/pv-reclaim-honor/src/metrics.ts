import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The app's own metrics. */
export interface Metrics {
  /**
   * Records a deletion that a storage system has confirmed.
   *
   * @param seconds of the try that succeeded.
   */
  volumeDeleted(storageClass: string, seconds: number): void;
  /** @param seconds from the first try of this process until the volume was released. */
  operationDone(pluginName: string, seconds: number): void;
  operationFailed(pluginName: string): void;
  /** Counts a deletion that was refused because an unreadable volume might use the same storage. */
  refusedForUnreadable(): void;
  /** Counts a volume that might have been left behind on its storage system. */
  leakRisk(): void;
  /** @param rows of calls into file systems that are without an answer now. */
  fileSystemsSilent(rows: number): void;
  /**
   * Counts a volume whose finalizers are left alone for a while, because another client undoes our writes.
   */
  fight(): void;
  /**
   * Counts a write of finalizers that was answered.
   *
   * @param outcome `success`; `gone`: the volume no longer existed; `conflict`: it had changed, and is looked
   *   at again; `error`: retried later.
   */
  finalizer(operation: 'add' | 'remove', outcome: WriteOutcome): void;
}

/** In seconds; upstream's buckets for operations on volumes. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** The API server validates the name of a class in `spec.storageClassName`, but not in the old annotation. */
const longestClassName = 253;
/**
 * How many classes have series of their own. A static volume can name any class, and where each has its own, ten
 * thousand deletions would take 100 MB, and most of a second at each scrape.
 */
const mostClasses = 500;

export function createMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const deletions = new Histogram({
    name: 'persistentvolume_delete_duration_seconds',
    help: 'Time of the deletion of a volume on its storage system, by class; only the try that succeeded.',
    labelNames: ['class'],
    buckets,
    registers,
  });
  const operations = new Histogram({
    name: 'volume_operation_total_seconds',
    help: 'Time from the first try to reclaim a volume until it is let go of, by driver or plugin.',
    labelNames: ['plugin_name', 'operation_name'],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: 'volume_operation_errors_total',
    help: 'Tries to delete a volume that failed, by driver or plugin.',
    labelNames: ['plugin_name', 'operation_name'],
    registers,
  });
  const refusals = new Counter({
    name: 'pv_reclaim_refused_for_unreadable_total',
    help: "Tries to delete a volume that were refused, since a PersistentVolume that can't be read might be over the same storage.",
    registers,
  });
  const leaks = new Counter({
    name: 'pv_reclaim_leak_risk_total',
    help: 'Volumes that may have been left behind on their storage system.',
    registers,
  });
  const silent = new Gauge({
    name: 'pv_reclaim_unanswered_file_calls',
    help: 'Calls into file systems that have not been answered in time: while there are any, hostPath volumes might not be deleted.',
    registers,
  });
  const fights = new Counter({
    name: 'pv_reclaim_finalizer_fights_total',
    help: 'Times that the finalizers of a volume were left alone for a while, since another client undoes what is written.',
    registers,
  });
  const finalizers = new Counter({
    name: 'pv_reclaim_finalizer_total',
    help: 'Writes of finalizers, by operation (add, remove) and result.',
    labelNames: ['operation', 'result'],
    registers,
  });
  const classes = new Set<string>();
  const labelOf = (storageClass: string): string => {
    if (storageClass.length > longestClassName) {
      return 'invalid';
    }
    if (classes.size < mostClasses) {
      classes.add(storageClass);
    }
    return classes.has(storageClass) ? storageClass : 'other';
  };
  return {
    volumeDeleted: (storageClass, seconds) => deletions.observe({ class: labelOf(storageClass) }, seconds),
    operationDone: (pluginName, seconds) =>
      operations.observe({ plugin_name: pluginName, operation_name: 'delete' }, seconds),
    operationFailed: (pluginName) => errors.inc({ plugin_name: pluginName, operation_name: 'delete' }),
    refusedForUnreadable: () => refusals.inc(),
    leakRisk: () => leaks.inc(),
    fileSystemsSilent: (rows) => silent.set(rows),
    fight: () => fights.inc(),
    finalizer: (operation, outcome) => finalizers.inc({ operation, result: outcome }),
  };
}
