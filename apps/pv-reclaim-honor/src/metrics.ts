import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The app's own metrics. */
export interface Metrics {
  /** One deletion on a storage system was confirmed. @param seconds of the try that succeeded. */
  volumeDeleted(storageClass: string, seconds: number): void;
  /** @param seconds from the first try of this process until the volume was let go of. */
  operationDone(pluginName: string, seconds: number): void;
  operationFailed(pluginName: string): void;
  /** A deletion was refused, since a volume that can't be read might be over the same storage. */
  refusedForUnreadable(): void;
  /** A volume may have been left behind on its storage system. */
  leakRisk(): void;
  /** @param rows of calls into file systems that have no answer now. */
  fileSystemsSilent(rows: number): void;
  /** A volume's finalizers are left alone for a while, since another undoes what we write. */
  fight(): void;
  /**
   * A write of finalizers was answered.
   *
   * @param outcome `success`; `gone`: the volume was not there any more; `conflict`: it had changed, and is looked at again;
   *   `error`: tried again later.
   */
  finalizer(operation: 'add' | 'remove', outcome: WriteOutcome): void;
}

/** Seconds; upstream's buckets for operations on volumes. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** The API server checks the name of a class in `spec.storageClassName`, and not that in the annotation of old. */
const longestClassName = 253;

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
  return {
    volumeDeleted: (storageClass, seconds) =>
      deletions.observe(
        { class: storageClass.length > longestClassName ? 'invalid' : storageClass },
        seconds,
      ),
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
