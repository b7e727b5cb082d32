import { describe, expect, test } from '@jest/globals';
import { growthRows, inShort } from '../../src/growth/growth-rows.ts';
import { failed, finished } from '../result.ts';
import { growthReport } from './report.ts';

describe('growthRows', () => {
  test('two sizes of both -> a row for each figure and contestant, with the exponent between them', () => {
    expect(growthRows(growthReport(), 'pvc-protection')).toEqual([
      ['', '', '1,000', '10,000', 'exponent, 1k to 10k'],
      ['wall time', 'holdfast', '1.00 s', '100.00 s', '2.00'],
      ['', 'upstream', '3.00 s', '300.00 s', '2.00'],
      ['CPU', 'holdfast', '1.00 s', '10.00 s', '1.00'],
      ['', 'upstream', '3.00 s', '30.00 s', '1.00'],
      ['peak memory', 'holdfast', '64.0 MiB', '64.0 MiB', '0.00'],
      ['', 'upstream', '192.0 MiB', '192.0 MiB', '0.00'],
      ['requests for an object', 'holdfast', '2.00', '2.00', '0.00'],
      ['', 'upstream', '2.00', '2.00', '0.00'],
      ['CPU of the API server', 'holdfast', '2.00 s', '20.00 s', '1.00'],
      ['', 'upstream', '2.00 s', '20.00 s', '1.00'],
    ]);
  });

  test('two rounds, and one that failed -> median with the least and the most, and a dash', () => {
    const app = 'pvc-protection';
    const rows = growthRows(
      growthReport({
        results: [
          { app, objects: 10, result: finished(1, 'holdfast', { wallSeconds: 2 }) },
          { app, objects: 10, result: finished(2, 'holdfast', { wallSeconds: 4 }) },
          { app, objects: 10, result: failed(1, 'upstream', 'it ended') },
        ],
      }),
      app,
    );
    expect(rows.slice(0, 3)).toEqual([
      ['', '', '10'],
      ['wall time', 'holdfast', '3.00 s (2.00 s to 4.00 s)'],
      ['', 'upstream', '-'],
    ]);
  });
});

test.each([
  [50_000, '50k'],
  [1_500, '1.5k'],
  [16_667, '16.7k'],
  [999, '999'],
])('%s -> %s in short', (count, short) => {
  expect(inShort(count)).toBe(short);
});
