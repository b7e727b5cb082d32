import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { limitSilence } from '../../src/client/silence-limit.ts';

test.each([
  { what: 'nothing heard', heardAt: [], silentAt: 1_000 },
  { what: 'heard once', heardAt: [400], silentAt: 1_400 },
  { what: 'heard often', heardAt: [100, 200, 999, 1_500, 2_499], silentAt: 3_499 },
  { what: 'heard just in time', heardAt: [999], silentAt: 1_999 },
])('$what -> silence after a limit without a word, and once', async ({ heardAt, silentAt }) => {
  const clock = createFakeClock(0);
  const silences: number[] = [];
  const limit = limitSilence(clock, 1_000, () => silences.push(clock.now()));
  for (const time of heardAt) {
    await clock.advance(time - clock.now());
    limit.heard();
  }
  await clock.advance(10_000);
  expect(silences).toEqual([silentAt]);
  expect(clock.pending).toBe(0);
});

test.each([
  { what: 'lifted', limit: 1_000, lift: true },
  { what: 'no limit', limit: 0, lift: false },
])('$what -> no timer is left, and nobody is called', async ({ limit, lift }) => {
  const clock = createFakeClock();
  let silences = 0;
  const silence = limitSilence(clock, limit, () => (silences += 1));
  silence.heard();
  if (lift) {
    silence.lift();
  }
  expect(clock.pending).toBe(0);
  await clock.advance(10_000);
  expect(silences).toBe(0);
});

test('heard a thousand times within the limit -> one timer', async () => {
  let timers = 0;
  const clock = createFakeClock();
  const counting = {
    ...clock,
    after: (delay: number, callback: () => void) => {
      timers += 1;
      return clock.after(delay, callback);
    },
  };
  const limit = limitSilence(counting, 1_000, () => undefined);
  for (let n = 0; n < 1_000; n++) {
    limit.heard();
  }
  await clock.advance(999);
  expect(timers).toBe(1);
});
