import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '../../src/controller/controller-metrics.ts';
import { createWorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';

test('two controllers with one registry -> each has its own series', async () => {
  const registry = new Registry();
  const [first, second] = ['first', 'second'].map((name) => ({
    controller: createControllerMetrics(registry, name),
    queue: createWorkQueueMetrics(registry, name),
  }));
  first?.controller.reconciled('success');
  second?.controller.reconciled('error');
  first?.queue.added();
  second?.queue.observe(() => [2_000, 500]);
  const text = await registry.metrics();
  for (const line of [
    'controller_runtime_reconcile_total{controller="first",result="success"} 1',
    'controller_runtime_reconcile_total{controller="second",result="success"} 0',
    'controller_runtime_reconcile_errors_total{controller="first"} 0',
    'controller_runtime_reconcile_errors_total{controller="second"} 1',
    'workqueue_adds_total{name="first"} 1',
    'workqueue_adds_total{name="second"} 0',
    'workqueue_unfinished_work_seconds{name="first"} 0',
    'workqueue_unfinished_work_seconds{name="second"} 2.5',
    'workqueue_longest_running_processor_seconds{name="second"} 2',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
