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
          expect(trend?.standardError).toBeCloseTo(0, 3);
        },
      ),
      { seed: 5 },
    );
  });

  // Worked out by hand: the products sum to 4, the squares of the times to 5, those of what is missed to 1.8.
  test('points beside a line -> slope and error of the least squares', () => {
    const values = [1, 3, 2, 4];
    const trend = trendOf(values.map((value, seconds) => ({ seconds, value })));
    expect(trend?.slope).toBeCloseTo(0.8, 10);
    expect(trend?.standardError).toBeCloseTo(Math.sqrt(1.8 / 2 / 5), 10);
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
    expect(floors([], 10)).toEqual([]);
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
