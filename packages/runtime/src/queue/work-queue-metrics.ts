import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What one work queue tells of itself. Durations are milliseconds. */
export interface WorkQueueMetrics {
  depth(length: number): void;
  added(): void;
  retried(): void;
  /** How long a key stood ready before it was taken. */
  waited(duration: number): void;
  /** How long a key was worked on. */
  worked(duration: number): void;
}

const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** client-go's `workqueue_*` metrics, for a queue of the given name. One call for each registry and name. */
export function createWorkQueueMetrics(registry: Registry, name: string): WorkQueueMetrics {
  const labelNames = ['name'] as const;
  const registers = [registry];
  const depth = new Gauge({
    name: 'workqueue_depth',
    help: 'Current depth of workqueue',
    labelNames,
    registers,
  }).labels({ name });
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    labelNames,
    registers,
  }).labels({ name });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labelNames,
    registers,
  }).labels({ name });
  const waits = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested.',
    labelNames,
    buckets,
    registers,
  }).labels({ name });
  const works = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    labelNames,
    buckets,
    registers,
  }).labels({ name });
  depth.set(0);
  adds.inc(0);
  retries.inc(0);
  return {
    depth: (length) => depth.set(length),
    added: () => adds.inc(),
    retried: () => retries.inc(),
    waited: (duration) => waits.observe(duration / 1000),
    worked: (duration) => works.observe(duration / 1000),
  };
}
