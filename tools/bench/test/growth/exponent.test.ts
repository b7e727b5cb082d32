import { describe, expect, test } from '@jest/globals';
import { exponents } from '../../src/growth/exponent.ts';
import type { SizedSpread } from '../../src/growth/growth-figures.ts';

const sizes = [1_000, 10_000, 50_000];

function curve(valueAt: (size: number) => number | undefined): readonly SizedSpread[] {
  return sizes.map((objects) => {
    const median = valueAt(objects);
    return { objects, spread: median === undefined ? undefined : { median, least: median, most: median } };
  });
}

describe('exponents', () => {
  test.each([
    { what: 'stays the same', valueAt: () => 7, exponent: 0 },
    { what: 'is in proportion', valueAt: (size: number) => size / 300, exponent: 1 },
    { what: 'grows with the square', valueAt: (size: number) => size ** 2 / 1e6, exponent: 2 },
    { what: 'becomes less', valueAt: (size: number) => 1 / size, exponent: -1 },
  ])('$what -> $exponent in every step', ({ valueAt, exponent }) => {
    const found = exponents(curve(valueAt));
    expect(found).toHaveLength(2);
    for (const each of found) {
      expect(each).toBeCloseTo(exponent, 10);
    }
  });

  test('what is taken once on top of what is in proportion -> below 1, and nearer to it with the size', () => {
    const [first = NaN, second = NaN] = exponents(curve((size) => 5 + size / 1_000));
    expect(first).toBeLessThan(second);
    expect(second).toBeLessThan(1);
  });

  test.each([undefined, 0])('%s in the middle -> no exponent of the steps beside it', (middle) => {
    expect(exponents(curve((size) => (size === 10_000 ? middle : size)))).toEqual([undefined, undefined]);
  });
});
