import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from '../metrics/once-per-registry.ts';

/** The metrics that one work queue reports. Durations are in milliseconds. */
export interface WorkQueueMetrics {
  depth(length: number): void;
  added(): void;
  retried(): void;
  /** Records how long a key was ready before it was taken. */
  waited(duration: number): void;
  /** Records how long a key was worked on. */
  worked(duration: number): void;
  /**
   * @param underWay returns how long each key under way has been worked on; called when the metrics are
   *   collected.
   */
  observe(underWay: () => readonly number[]): void;
}

const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/**
 * Creates client-go's `workqueue_*` metrics for a queue of the given name. Call it once for each registry and
 * name.
 */
export function createWorkQueueMetrics(registry: Registry, name: string): WorkQueueMetrics {
  const families = familiesOf(registry);
  const depth = families.depth.labels({ name });
  const adds = families.adds.labels({ name });
  const retries = families.retries.labels({ name });
  const waits = families.waits.labels({ name });
  const works = families.works.labels({ name });
  depth.set(0);
  adds.inc(0);
  retries.inc(0);
  families.underWay.set(name, () => []);
  return {
    depth: (length) => depth.set(length),
    added: () => adds.inc(),
    retried: () => retries.inc(),
    waited: (duration) => waits.observe(duration / 1000),
    worked: (duration) => works.observe(duration / 1000),
    observe: (durations) => void families.underWay.set(name, durations),
  };
}

const familiesOf = oncePerRegistry((registry) => {
  const labelNames = ['name'] as const;
  const registers = [registry];
  /** How long each key under way has been worked on, by the name of its queue. */
  const underWay = new Map<string, () => readonly number[]>();
  new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How many seconds of work has been done that is in progress and has not been observed by work_duration.',
    labelNames,
    registers,
    collect() {
      for (const [name, durations] of underWay) {
        this.set({ name }, durations().reduce((sum, duration) => sum + duration, 0) / 1000);
      }
    },
  });
  new Gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds has the longest running processor for workqueue been running.',
    labelNames,
    registers,
    collect() {
      for (const [name, durations] of underWay) {
        this.set({ name }, Math.max(0, ...durations()) / 1000);
      }
    },
  });
  return {
    underWay,
    depth: new Gauge({
      name: 'workqueue_depth',
      help: 'Current depth of workqueue',
      labelNames,
      registers,
    }),
    adds: new Counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      labelNames,
      registers,
    }),
    retries: new Counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      labelNames,
      registers,
    }),
    waits: new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested.',
      labelNames,
      buckets,
      registers,
    }),
    works: new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes.',
      labelNames,
      buckets,
      registers,
    }),
  };
});
