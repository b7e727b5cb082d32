import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { Registry } from 'prom-client';
import { createWorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';
import { createWorkQueue } from '../../src/queue/work-queue.ts';

test('keys under way -> the time of all and of the longest, in seconds; given back -> none', async () => {
  const clock = createFakeClock();
  const registry = new Registry();
  const queue = createWorkQueue({ clock, metrics: createWorkQueueMetrics(registry, 'q') });
  const gauges = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => /^workqueue_(unfinished|longest)/.test(line));
  queue.add('a');
  await queue.take();
  await clock.advance(2_000);
  queue.add('b');
  await queue.take();
  await clock.advance(1_500);
  expect(await gauges()).toEqual([
    'workqueue_unfinished_work_seconds{name="q"} 5',
    'workqueue_longest_running_processor_seconds{name="q"} 3.5',
  ]);
  queue.done('a');
  queue.done('b');
  expect(await gauges()).toEqual([
    'workqueue_unfinished_work_seconds{name="q"} 0',
    'workqueue_longest_running_processor_seconds{name="q"} 0',
  ]);
});
