import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { median } from '../src/median.ts';

describe('median', () => {
  test.each([
    { values: [], middle: undefined },
    { values: [7], middle: 7 },
    { values: [4, 1], middle: 2.5 },
    { values: [10, 9, 100], middle: 10 },
    { values: [4, 1, 3, 2], middle: 2.5 },
  ])('of $values -> $middle', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  test('any values -> no more than half are smaller, no more than half are larger, and the order does not matter', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1 }), (values) => {
        const before = [...values];
        const middle = median(values) ?? NaN;
        expect(values).toEqual(before);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(median(values.toReversed())).toBe(middle);
      }),
      { seed: 1 },
    );
  });
});
