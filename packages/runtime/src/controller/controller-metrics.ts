import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from '../metrics/once-per-registry.ts';

/** The metrics that one controller reports. */
export interface ControllerMetrics {
  started(): void;
  /** @param duration milliseconds. */
  finished(duration: number): void;
  reconciled(result: 'success' | 'requeue' | 'requeue_after' | 'error'): void;
  terminalError(): void;
  timedOut(): void;
  /** Reports how many keys can be worked on at once. */
  workers(count: number): void;
  /**
   * @param failing returns for how many milliseconds a key has failed, the one that has failed for longest; 0
   *   if none fails. Called when the metrics are collected.
   */
  observe(failing: () => number): void;
}

/**
 * Creates controller-runtime's `controller_runtime_*` metrics, and `controller_longest_failing_seconds`. Call it
 * once for each registry and controller.
 */
export function createControllerMetrics(registry: Registry, controller: string): ControllerMetrics {
  const { results, ...families } = familiesOf(registry);
  const errors = families.errors.labels({ controller });
  const terminal = families.terminal.labels({ controller });
  const timeouts = families.timeouts.labels({ controller });
  const durations = families.durations.labels({ controller });
  const limit = families.limit.labels({ controller });
  const active = families.active.labels({ controller });
  // The series start at 0: an alert could see no increase in a series that appears with its first error.
  for (const result of ['success', 'requeue', 'requeue_after', 'error'] as const) {
    results.inc({ controller, result }, 0);
  }
  for (const counter of [errors, terminal, timeouts]) {
    counter.inc(0);
  }
  active.set(0);
  families.failing.set(controller, () => 0);
  return {
    started: () => active.inc(),
    finished: (duration) => {
      active.dec();
      durations.observe(duration / 1000);
    },
    reconciled: (result) => {
      results.inc({ controller, result });
      if (result === 'error') {
        errors.inc();
      }
    },
    terminalError: () => terminal.inc(),
    timedOut: () => timeouts.inc(),
    workers: (count) => limit.set(count),
    observe: (failing) => void families.failing.set(controller, failing),
  };
}

/** Shared by all controllers of a program, because a registry accepts each name only once. */
const familiesOf = oncePerRegistry((registry) => {
  const registers = [registry];
  const labelNames = ['controller'] as const;
  /** For how long a key of each controller has failed. */
  const failing = new Map<string, () => number>();
  new Gauge({
    name: 'controller_longest_failing_seconds',
    help: 'How many seconds the key that has failed for longest has failed without a success in between, 0 if none fails.',
    labelNames,
    registers,
    collect() {
      for (const [controller, duration] of failing) {
        this.set({ controller }, duration() / 1000);
      }
    },
  });
  return {
    failing,
    results: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciliations per controller',
      labelNames: ['controller', 'result'],
      registers,
    }),
    errors: new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of reconciliation errors per controller',
      labelNames,
      registers,
    }),
    terminal: new Counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of terminal reconciliation errors per controller',
      labelNames,
      registers,
    }),
    timeouts: new Counter({
      name: 'controller_runtime_reconcile_timeouts_total',
      help: 'Total number of reconciliation timeouts per controller',
      labelNames,
      registers,
    }),
    durations: new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller',
      labelNames,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    limit: new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller',
      labelNames,
      registers,
    }),
    active: new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of currently used workers per controller',
      labelNames,
      registers,
    }),
  };
});
