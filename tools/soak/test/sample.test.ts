import { describe, expect, test } from '@jest/globals';
import { parseFeatureGates } from '@holdfast/core';
import { createMetricsRegistry } from '@holdfast/runtime';
import { Counter, Gauge, Registry } from 'prom-client';
import { readSample } from '../src/sample.ts';

function register(registry: Registry): Registry {
  const registers = [registry];
  const labelNames = ['name'];
  const depth = new Gauge({ name: 'workqueue_depth', help: 'h', labelNames, registers });
  depth.set({ name: 'a' }, 3);
  depth.set({ name: 'b "quoted" {x}' }, 4);
  new Gauge({ name: 'workqueue_unfinished_work_seconds', help: 'h', labelNames, registers }).set(
    { name: 'a' },
    0.25,
  );
  new Counter({ name: 'reflector_lists_total', help: 'h', labelNames, registers }).inc({ name: 'pods' }, 2);
  return registry;
}

describe('readSample', () => {
  test('metrics as the runtime serves them -> the figures of this process, summed over labels', async () => {
    const registry = register(createMetricsRegistry('app', '1', parseFeatureGates({}, '')));
    const sample = readSample(await registry.metrics(), 7);
    expect(sample).toMatchObject({
      seconds: 7,
      queueDepth: 7,
      unfinishedSeconds: 0.25,
      lists: 2,
      watches: 0,
    });
    expect(sample.heapUsedBytes).toBeGreaterThan(2 ** 20);
    expect(sample.residentBytes).toBeGreaterThan(sample.heapUsedBytes);
    expect(sample.resources).toBeGreaterThanOrEqual(0);
  });

  test('metrics of something else -> an error names the one that is missing', async () => {
    const text = await register(new Registry()).metrics();
    expect(() => readSample(text, 0)).toThrow(/process_resident_memory_bytes is missing/);
  });
});
