import { expect, test } from '@jest/globals';
import type { EventText } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createLeakWarnings } from '../src/leak-warnings.ts';
import { createMetrics } from '../src/metrics.ts';
import { volume } from './objects.ts';

function open() {
  const clock = createFakeClock();
  const recorded: EventText[] = [];
  const registry = new Registry();
  const leaks = createLeakWarnings({
    clock,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(registry),
    events: {
      record: (_resource, _object, text) => {
        recorded.push(text);
      },
      run: () => Promise.resolve(),
    },
  });
  const counted = async (): Promise<number | undefined> =>
    (await registry.getSingleMetric('pv_reclaim_leak_risk_total')?.get())?.values[0]?.value;
  return { clock, leaks, recorded, counted };
}

test('seen once -> looked at again after 5 s, and warned of only then, once', async () => {
  const { clock, leaks, recorded, counted } = open();
  expect(leaks.warn(volume())).toEqual({ kind: 'requeueAfter', delay: 5_000 });
  await clock.advance(2_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'requeueAfter', delay: 3_000 });
  expect(recorded).toEqual([]);
  await clock.advance(3_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'done' });
  await clock.advance(60_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'done' });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeMayLeak' }]);
  expect(await counted()).toBe(1);
});

test('gone within 5 s, and another of its name is at risk -> that one has 5 s of its own', async () => {
  const { clock, leaks, recorded } = open();
  leaks.warn(volume({ uid: 'first' }));
  await clock.advance(4_000);
  leaks.forget('first');
  expect(leaks.warn(volume({ uid: 'second' }))).toEqual({ kind: 'requeueAfter', delay: 5_000 });
  await clock.advance(1_000);
  expect(leaks.warn(volume({ uid: 'second' }))).toEqual({ kind: 'requeueAfter', delay: 4_000 });
  expect(recorded).toEqual([]);
});
