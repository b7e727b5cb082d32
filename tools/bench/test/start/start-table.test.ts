import { describe, expect, test } from '@jest/globals';
import type { Contestant } from '../../src/figures.ts';
import type { StartFigures, StartResult } from '../../src/start/start-figures.ts';
import { compareStartFigures, startLine, startTable } from '../../src/start/start-table.ts';

function start(
  round: number,
  contestant: Contestant,
  figures: Partial<StartFigures>,
  app = 'lifter',
): StartResult {
  return {
    round,
    app,
    contestant,
    figures: {
      leaseSeconds: 0.2,
      readySeconds: 0.3,
      cpuSeconds: 0.1,
      peakResidentBytes: 2 ** 20,
      apiServerCpuSeconds: 0,
      ...figures,
    },
  };
}

const results = [
  start(0, 'holdfast', { readySeconds: 9 }),
  start(0, 'upstream', { readySeconds: 9 }),
  start(1, 'holdfast', { readySeconds: 0.3 }),
  start(1, 'upstream', { readySeconds: 1.2 }),
  start(2, 'upstream', { readySeconds: 1.4 }),
  start(2, 'holdfast', { readySeconds: 0.35 }),
  start(1, 'holdfast', {}, 'carrier'),
];

function rowOf(title: string): readonly string[] | undefined {
  const lines = startTable(compareStartFigures(results)).split('\n');
  return lines.map((line) => line.trim().split(/ {2,}/)).find(([first]) => first === title);
}

describe('startTable', () => {
  test.each([
    {
      what: 'both were started -> medians without the warm-up, spread and the ratio of the medians',
      row: ['lifter: to ready', '325 ms', '(300 ms to 350 ms)', '1300 ms', '(1200 ms to 1400 ms)', '0.25'],
    },
    {
      what: 'upstream took nothing that can be measured -> no ratio',
      row: ['lifter: CPU of the API server', '0 ms', '(0 ms to 0 ms)', '0 ms', '(0 ms to 0 ms)', '-'],
    },
    {
      what: 'another app, whose counterpart was not started -> dashes',
      row: ['carrier: to ready', '300 ms', '(300 ms to 300 ms)', '-', '-'],
    },
  ])('$what', ({ row }) => {
    expect(rowOf(row[0] ?? '')).toEqual(row);
  });
});

test('startLine: a start -> all its figures', () => {
  expect(startLine(start(0, 'holdfast', {}))).toBe(
    'warm-up  lifter  holdfast  to the lease 200 ms  to ready 300 ms  CPU 100 ms  peak memory 1.0 MiB  CPU of the API server 0 ms',
  );
});
