import { describe, expect, test } from '@jest/globals';
import type { Result } from '../src/figures.ts';
import { summarize } from '../src/summary.ts';
import { failed, finished } from './result.ts';

const wallTime = (results: readonly Result[]) =>
  summarize(results).find(({ figure }) => figure === 'wallSeconds');

describe('summarize', () => {
  test('three rounds of both -> medians with their spread, and their ratio', () => {
    const results = [
      finished(1, 'holdfast', { wallSeconds: 3 }),
      finished(1, 'upstream', { wallSeconds: 4 }),
      finished(2, 'upstream', { wallSeconds: 9 }),
      finished(2, 'holdfast', { wallSeconds: 2 }),
      finished(3, 'holdfast', { wallSeconds: 1 }),
      finished(3, 'upstream', { wallSeconds: 3 }),
    ];
    expect(wallTime(results)).toEqual({
      figure: 'wallSeconds',
      holdfast: { median: 2, least: 1, most: 3 },
      upstream: { median: 4, least: 3, most: 9 },
      ratio: 0.5,
    });
  });

  test('warm-up -> does not count', () => {
    const results = [
      finished(0, 'holdfast', { wallSeconds: 100 }),
      finished(1, 'holdfast', { wallSeconds: 2 }),
      finished(1, 'upstream', { wallSeconds: 1 }),
    ];
    expect(wallTime(results)?.holdfast).toEqual({ median: 2, least: 2, most: 2 });
  });

  test('failed round -> does not count, the others do', () => {
    const results = [
      finished(1, 'holdfast', { wallSeconds: 2 }),
      failed(2, 'holdfast', 'it ended'),
      finished(1, 'upstream', { wallSeconds: 1 }),
    ];
    expect(wallTime(results)?.ratio).toBe(2);
  });

  test('one of them finished no round -> no ratio', () => {
    const results = [finished(1, 'holdfast', {}), failed(1, 'upstream', 'it ended')];
    expect(wallTime(results)).toMatchObject({ upstream: undefined, ratio: undefined });
  });

  test('upstream took nothing that could be measured -> no ratio', () => {
    const results = [finished(1, 'holdfast', {}), finished(1, 'upstream', { wallSeconds: 0 })];
    expect(wallTime(results)?.ratio).toBeUndefined();
  });
});
