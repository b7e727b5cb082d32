import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * What retroactive-default-sc counts about its writes, under kube-controller-manager's names, which have no
 * labels.
 */
export interface Metrics {
  /** Counts a patch with its result. It is not an error if the claim is gone or has changed meanwhile. */
  tried(outcome: WriteOutcome): void;
}

/** @param waiting returns how many claims wait now. */
export function createMetrics(registry: Registry, waiting: () => number): Metrics {
  const registers = [registry];
  const total = new Counter({
    name: 'retroactive_storageclass_total',
    help: 'Total number of retroactive storage class assignments that were tried, failed ones included.',
    registers,
  });
  const errors = new Counter({
    name: 'retroactive_storageclass_errors_total',
    help: 'Total number of failed retroactive storage class assignments.',
    registers,
  });
  new Gauge({
    name: 'retroactive_storageclass_waiting_claims',
    help: 'Unbound claims without a storage class: there is no default class, or it has yet to be assigned.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    tried: (outcome) => {
      total.inc();
      if (outcome === 'error') {
        errors.inc();
      }
    },
  };
}
