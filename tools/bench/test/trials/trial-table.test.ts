import { describe, expect, test } from '@jest/globals';
import { summarizeTrial, trialLine, trialTable } from '../../src/trials/trial-table.ts';
import type { TrialFigure } from '../../src/trials/trial.ts';

const round = (wait: number, left: number): readonly TrialFigure[] => [
  { title: 'wait', value: wait, unit: 'milliseconds', aim: 1_000 },
  { title: 'left', value: left, unit: 'count', aim: 0 },
  { title: 'CPU', value: 1.5, unit: 'seconds' },
  { title: 'memory', value: 3 * 2 ** 20, unit: 'bytes' },
  { title: 'ratio', value: 1.25, unit: 'times' },
];

const rowsOf = (...rounds: readonly (readonly TrialFigure[])[]): readonly (readonly string[])[] =>
  trialTable(summarizeTrial(rounds))
    .split('\n')
    .map((line) => line.split(/ {2,}/));

describe('trialTable', () => {
  test('three rounds within the aims -> medians, spreads, and that they are', () => {
    expect(rowsOf(round(100, 0), round(1_000, 0), round(200, 0))).toEqual([
      ['wait', '200 ms', '(100 ms to 1000 ms)', 'within 1000 ms'],
      ['left', '0', '(0 to 0)', 'within 0'],
      ['CPU', '1.50 s', '(1.50 s to 1.50 s)'],
      ['memory', '3.0 MiB', '(3.0 MiB to 3.0 MiB)'],
      ['ratio', '1.25', '(1.25 to 1.25)'],
    ]);
  });

  test('one round of three beyond the aim -> beyond, whatever the median is', () => {
    const [wait, left] = rowsOf(round(100, 0), round(1_001, 0), round(200, 5_000));
    expect(wait?.at(-1)).toBe('BEYOND 1000 ms');
    expect(left).toEqual(['left', '0', '(0 to 5,000)', 'BEYOND 0']);
  });

  test('no round -> an empty table', () => {
    expect(summarizeTrial([])).toStrictEqual([]);
  });
});

test('trialLine: a round -> all its figures', () => {
  expect(trialLine(2, round(100, 12_345))).toBe(
    'round 2  wait 100 ms  left 12,345  CPU 1.50 s  memory 3.0 MiB  ratio 1.25',
  );
});
