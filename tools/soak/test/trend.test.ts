import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { floors, median, trendOf } from '../src/trend.ts';

describe('trendOf', () => {
  test('points on a line -> its slope, without doubt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 3, maxLength: 50 }),
        (slope, level, times) => {
          const trend = trendOf(times.map((seconds) => ({ seconds, value: level + slope * seconds })));
          expect(trend?.slope).toBeCloseTo(slope, 6);
          expect(trend?.doubt).toBeCloseTo(0, 3);
        },
      ),
      { seed: 5 },
    );
  });

  // By hand: the products sum to 15.5, the squares of times and of values to 17.5 each. By the table, t for 4 degrees
  // is 2.776.
  test('points beside a line -> slope of the least squares, and what it is known to', () => {
    const values = [1, 3, 2, 4, 6, 5];
    const slope = 15.5 / 17.5;
    const missed = 17.5 - 15.5 ** 2 / 17.5;
    const trend = trendOf(values.map((value, seconds) => ({ seconds, value })));
    expect(trend?.slope).toBeCloseTo(slope, 10);
    const doubt = 2.776 * Math.sqrt(missed / 4 / 17.5);
    expect(Math.abs((trend?.doubt ?? 0) / doubt - 1)).toBeLessThan(0.02);
  });

  test.each([
    { what: 'two points', times: [1, 2] },
    { what: 'points of one time', times: [3, 3, 3] },
  ])('$what -> no telling', ({ times }) => {
    expect(trendOf(times.map((seconds) => ({ seconds, value: seconds })))).toBeUndefined();
  });
});

describe('floors', () => {
  test('a saw -> its lowest of each window, at the middle; the window just begun is left out', () => {
    const points = Array.from({ length: 22 }, (_, seconds) => ({ seconds, value: 5 + (seconds % 5) }));
    expect(floors(points, 10)).toEqual([
      { seconds: 5, value: 5 },
      { seconds: 15, value: 5 },
    ]);
  });

  test('no points -> no floors', () => {
    expect(floors([], 10)).toStrictEqual([]);
  });
});

describe('median', () => {
  test.each([
    { values: [3, 1, 2], middle: 2 },
    { values: [4, 1, 3, 2], middle: 2.5 },
    { values: [], middle: NaN },
  ])('$values -> $middle', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });
});
