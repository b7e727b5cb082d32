import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createMetrics } from '../src/metrics.ts';

test.each([
  { name: 'a name', storageClass: 'fast', label: 'fast' },
  { name: 'no name', storageClass: '', label: '' },
  { name: 'a name of 253 characters', storageClass: 'a'.repeat(253), label: 'a'.repeat(253) },
  { name: 'what no class can be called', storageClass: 'a'.repeat(300_000), label: 'invalid' },
])(
  'deletion of a volume whose class has $name -> counted by a label of bounded length',
  async ({ storageClass, label }) => {
    const registry = new Registry();
    createMetrics(registry).volumeDeleted(storageClass, 1);
    expect(await registry.metrics()).toContain(
      `persistentvolume_delete_duration_seconds_count{class="${label}"} 1`,
    );
  },
);

test('each of a thousand volumes has a class of its own -> the first 500 have a series each, the others share one', async () => {
  const registry = new Registry();
  const { volumeDeleted } = createMetrics(registry);
  for (let volume = 0; volume < 1_000; volume++) {
    volumeDeleted(`class-${String(volume)}`, 1);
  }
  volumeDeleted('class-0', 1);
  const counts = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('persistentvolume_delete_duration_seconds_count'));
  expect(counts).toHaveLength(501);
  expect(counts).toContain('persistentvolume_delete_duration_seconds_count{class="class-0"} 2');
  expect(counts).toContain('persistentvolume_delete_duration_seconds_count{class="other"} 500');
});
