import { expect, test } from '@jest/globals';
import type { EventText } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLeakWarnings } from '../src/leak-warnings.ts';
import { volume } from './objects.ts';

function open() {
  const clock = createFakeClock();
  const recorded: EventText[] = [];
  const count = { risks: 0, lines: 0 };
  const leaks = createLeakWarnings({
    clock,
    logger: { warn: () => (count.lines += 1) },
    metrics: { leakRisk: () => (count.risks += 1) },
    events: { record: (_resource, _object, text) => recorded.push(text) },
  });
  return { clock, leaks, recorded, count };
}

test('seen once -> looked at again after 5 s, and warned of only then, once', async () => {
  const { clock, leaks, recorded, count } = open();
  expect(leaks.warn(volume())).toEqual({ kind: 'requeueAfter', delay: 5_000 });
  await clock.advance(2_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'requeueAfter', delay: 3_000 });
  expect(recorded).toEqual([]);
  await clock.advance(3_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'done' });
  await clock.advance(60_000);
  expect(leaks.warn(volume())).toEqual({ kind: 'done' });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'VolumeMayLeak' }]);
  expect(count).toEqual({ risks: 1, lines: 1 });
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
