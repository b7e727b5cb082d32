import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What pvc-protection counts and measures about its writes. */
export interface Metrics {
  /** Counts a write of the finalizer with its result. */
  finalizer(operation: 'add' | 'remove', result: WriteOutcome): void;
  /** Records that a held claim was released this many milliseconds after its last user went. */
  released(delay: number): void;
}

/** @param heldByNamespace called at each scrape: how many claims of each namespace are held now. */
export function createMetrics(
  registry: Registry,
  heldByNamespace: () => ReadonlyMap<string, number>,
): Metrics {
  const finalizers = new Counter({
    name: 'pvc_protection_finalizer_total',
    help: 'Writes of the protection finalizer, by operation (add, remove) and result.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  const delays = new Histogram({
    name: 'pvc_protection_release_delay_seconds',
    help: 'Time from when the last pod let go of a terminating claim until its finalizer was removed.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  new Gauge({
    name: 'pvc_protection_terminating_claims',
    help: 'Terminating claims that are held now because pods use them.',
    labelNames: ['namespace'],
    registers: [registry],
    collect() {
      // Removes namespaces that no longer have any.
      this.reset();
      for (const [namespace, count] of heldByNamespace()) {
        this.set({ namespace }, count);
      }
    },
  });
  // The series start at 0: an alert could see no increase in a series that appears with its first error.
  for (const operation of ['add', 'remove']) {
    for (const result of ['success', 'gone', 'conflict', 'error'] satisfies WriteOutcome[]) {
      finalizers.inc({ operation, result }, 0);
    }
  }
  return {
    finalizer: (operation, result) => finalizers.inc({ operation, result }),
    released: (delay) => delays.observe(delay / 1000),
  };
}
