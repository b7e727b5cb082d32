import { apiVersionOf } from '@holdfast/core';
import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { OwnersDecision } from './decide/decision.ts';
import type { Policy } from './decide/snapshot.ts';
import type { WorkloadResource } from './workload.ts';

/** The metrics of statefulset-pvc-retention. */
export interface Metrics {
  /** Counts a write of owner references. */
  ownerReference(operation: OwnersDecision['operation'], result: WriteOutcome): void;
  /** Counts a write of the undo window, or of a missed scale-down. */
  delayedDeletion(operation: 'mark' | 'unmark' | 'tie' | 'untie' | 'delete', result: WriteOutcome): void;
}

/** @param policies returns those of all workloads in use; called when the metrics are collected */
export function createMetrics(registry: Registry, policies: () => Iterable<Policy>): Metrics {
  new Gauge({
    name: 'statefulset_pvc_retention_policy',
    help: 'Workloads in use, by what their policy says.',
    labelNames: ['when_deleted', 'when_scaled'],
    registers: [registry],
    collect() {
      const counts = new Map<string, number>();
      for (const { whenDeleted, whenScaled } of policies()) {
        const key = `${whenDeleted} ${whenScaled}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      for (const whenDeleted of ['Retain', 'Delete']) {
        for (const whenScaled of ['Retain', 'Delete']) {
          const count = counts.get(`${whenDeleted} ${whenScaled}`) ?? 0;
          this.set({ when_deleted: whenDeleted, when_scaled: whenScaled }, count);
        }
      }
    },
  });
  const updates = new Counter({
    name: 'statefulset_pvc_owner_reference_updates_total',
    help: 'Writes of owner references of claims, by operation (add, swap, remove, confirm) and result.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  const delayed = new Counter({
    name: 'statefulset_pvc_delayed_deletions_total',
    help: 'Marks and ties set and cleared, and claims deleted, by operation (mark, unmark, tie, untie, delete) and result.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  return {
    ownerReference: (operation, result) => updates.inc({ operation, result }),
    delayedDeletion: (operation, result) => delayed.inc({ operation, result }),
  };
}

/** A kind of `--workloads`, and whether the API server lets us follow it. */
export interface KindState {
  readonly resource: WorkloadResource;
  readonly isFollowed: boolean;
}

/** @param kinds called when the metrics are collected */
export function reportKinds(registry: Registry, kinds: () => Iterable<KindState>): void {
  new Gauge({
    name: 'statefulset_pvc_retention_workload_kind_followed',
    help: 'By kind of --workloads: 1 while it is listed and watched, 0 while it is not served or its list is refused.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const { resource, isFollowed } of kinds()) {
        this.set({ kind: `${apiVersionOf(resource)}/${resource.kind}` }, isFollowed ? 1 : 0);
      }
    },
  });
}
