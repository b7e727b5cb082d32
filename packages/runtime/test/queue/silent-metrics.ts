import type { WorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';

export const silentMetrics: WorkQueueMetrics = {
  depth: () => undefined,
  added: () => undefined,
  retried: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
  observe: () => undefined,
};
