import { Counter, type Registry } from 'prom-client';

/** What pvc-protection tells of its writes. */
export interface Metrics {
  /**
   * @param result `success`; `gone`: the claim was not there any more; `conflict`: it had changed, and is looked at again;
   *   `error`: tried again later.
   */
  finalizer(operation: 'add' | 'remove', result: 'success' | 'gone' | 'conflict' | 'error'): void;
}

export function createMetrics(registry: Registry): Metrics {
  const finalizers = new Counter({
    name: 'pvc_protection_finalizer_total',
    help: 'Writes of the protection finalizer, by operation (add, remove) and result.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  return { finalizer: (operation, result) => finalizers.inc({ operation, result }) };
}
