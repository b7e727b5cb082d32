import type { WriteOutcome } from '@holdfast/runtime';
import { Counter, type Registry } from 'prom-client';

export interface UndoMetrics {
  /** Counts a write for an undo window that was answered. */
  undoWrite(operation: 'mark' | 'unmark' | 'giveBack' | 'deleteObject', outcome: WriteOutcome): void;
}

const operations = {
  mark: 'mark',
  unmark: 'unmark',
  giveBack: 'give_back',
  deleteObject: 'delete',
} as const;

export function createUndoMetrics(registry: Registry): UndoMetrics {
  const writes = new Counter({
    name: 'pv_reclaim_undo_window_total',
    help: 'Writes for undo windows, by operation (mark, unmark, give_back, delete) and result.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  return {
    undoWrite: (operation, outcome) => writes.inc({ operation: operations[operation], result: outcome }),
  };
}
