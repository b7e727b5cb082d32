import { expect, jest, test } from '@jest/globals';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { sleep, systemClock } from '../../src/time/clock.ts';

test('sleep, delay passes -> resolves then, not before', async () => {
  const clock = createFakeClock();
  let awake = false;
  void sleep(clock, 100, new AbortController().signal).then(() => {
    awake = true;
  });
  await clock.advance(99);
  expect(awake).toBe(false);
  await clock.advance(1);
  expect(awake).toBe(true);
});

test('sleep, aborted before -> rejects with the reason, sets no timer', async () => {
  const clock = createFakeClock();
  await expect(sleep(clock, 100, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('sleep, aborted meanwhile -> rejects at once with the reason, leaves no timer', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 100, stop.signal);
  await settled();
  stop.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('system clock -> calls back after the delay, and not when cancelled', async () => {
  const started = systemClock.now();
  let cancelled = false;
  const timer = systemClock.after(1, () => {
    cancelled = true;
  });
  timer.cancel();
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  // Node's timers count whole milliseconds.
  expect(systemClock.now() - started).toBeGreaterThanOrEqual(19);
  expect(cancelled).toBe(false);
});

test('machine clock, time that has passed already -> a timer of no delay, which Node does not warn of', () => {
  const setTimer = jest.spyOn(globalThis, 'setTimeout');
  try {
    systemClock.after(-0.03, () => undefined).cancel();
    expect(setTimer.mock.calls.map(([, delay]) => delay)).toEqual([0]);
  } finally {
    setTimer.mockRestore();
  }
});
