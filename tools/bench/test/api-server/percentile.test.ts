import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { percentile } from '../../src/api-server/percentile.ts';

describe('percentile', () => {
  test.each([
    { values: [7], percent: 50, expected: 7 },
    { values: [3, 1, 2], percent: 50, expected: 2 },
    { values: [4, 1, 3, 2], percent: 50, expected: 2 },
    { values: Array.from({ length: 100 }, (_, index) => 100 - index), percent: 99, expected: 99 },
    { values: Array.from({ length: 101 }, (_, index) => index + 1), percent: 99, expected: 100 },
    { values: [1, 2, 3], percent: 100, expected: 3 },
    { values: [1, 2, 3], percent: 0, expected: 1 },
  ])('$percent of $values.length values -> $expected', ({ values, percent, expected }) => {
    expect(percentile(values, percent)).toBe(expected);
  });

  test('any values, any percentage -> the least value that so many do not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const found = percentile(values, percent);
          const needed = (percent / 100) * values.length;
          expect(values).toContain(found);
          expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(needed - 1e-9);
          expect(values.filter((value) => value < found).length).toBeLessThan(needed + 1e-9);
        },
      ),
      { seed: 36 },
    );
  });

  test('no values -> refused', () => {
    expect(() => percentile([], 50)).toThrow(RangeError);
  });
});
