import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffDelay } from '../../src/time/backoff.ts';

test.each([
  { failures: 0, options: { initial: 800, max: 30_000 }, delay: 800 },
  { failures: 1, options: { initial: 800, max: 30_000 }, delay: 1_600 },
  { failures: 5, options: { initial: 800, max: 30_000 }, delay: 25_600 },
  { failures: 6, options: { initial: 800, max: 30_000 }, delay: 30_000 },
  { failures: 3, options: { initial: 10, max: 1_000, factor: 3 }, delay: 270 },
  { failures: 3, options: { initial: 10, max: 1_000, factor: 1 }, delay: 10 },
  { failures: 2, options: { initial: 100, max: 1_000, jitter: 1, random: () => 0 }, delay: 400 },
  { failures: 2, options: { initial: 100, max: 1_000, jitter: 1, random: () => 0.5 }, delay: 600 },
  { failures: 9, options: { initial: 100, max: 1_000, jitter: 0.5, random: () => 0.5 }, delay: 1_250 },
])('$failures failures before, $options -> $delay ms', ({ failures, options, delay }) => {
  expect(backoffDelay(failures, options)).toBeCloseTo(delay, 6);
});

test('any number of failures -> within the maximum and its jitter, never less than the one before', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
      const options = { initial: 800, max: 30_000, jitter: 1, random: () => random };
      const delay = backoffDelay(failures, options);
      expect(delay).toBeGreaterThanOrEqual(800);
      expect(delay).toBeLessThanOrEqual(60_000);
      expect(backoffDelay(failures + 1, options)).toBeGreaterThanOrEqual(delay);
    }),
  );
});
