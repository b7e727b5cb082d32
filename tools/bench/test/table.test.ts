import { describe, expect, test } from '@jest/globals';
import { summarize } from '../src/summary.ts';
import { alignColumns, resultLine, summaryTable } from '../src/table.ts';
import { failed, finished } from './result.ts';

const mebibyte = 2 ** 20;

describe('summaryTable', () => {
  test('two rounds of both -> a row for each figure with units, spread and ratio', () => {
    const results = [
      finished(1, 'holdfast', { wallSeconds: 3, peakResidentBytes: 90 * mebibyte, apiServerCpuSeconds: 5 }),
      finished(2, 'holdfast', { wallSeconds: 4, peakResidentBytes: 91 * mebibyte, apiServerCpuSeconds: 5 }),
      finished(1, 'upstream', { wallSeconds: 14, peakResidentBytes: 80 * mebibyte, apiServerCpuSeconds: 5 }),
      finished(2, 'upstream', { wallSeconds: 14, peakResidentBytes: 80 * mebibyte, apiServerCpuSeconds: 5 }),
    ];
    const rows = summaryTable(summarize(results))
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual([
      ['holdfast', 'upstream', 'ours / upstream'],
      ['wall time', '3.50 s', '(3.00 s to 4.00 s)', '14.00 s', '(14.00 s to 14.00 s)', '0.25'],
      ['to the first object', '50 ms', '(50 ms to 50 ms)', '50 ms', '(50 ms to 50 ms)', '1.00'],
      ['CPU', '1.00 s', '(1.00 s to 1.00 s)', '1.00 s', '(1.00 s to 1.00 s)', '1.00'],
      ['peak memory', '90.5 MiB', '(90.0 MiB to 91.0 MiB)', '80.0 MiB', '(80.0 MiB to 80.0 MiB)', '1.13'],
      ['CPU of the API server', '5.00 s', '(5.00 s to 5.00 s)', '5.00 s', '(5.00 s to 5.00 s)', '1.00'],
    ]);
  });

  test('objects that came during the rounds -> a row for the slowest', () => {
    const table = summaryTable(summarize([finished(1, 'holdfast', { slowestSeconds: 0.02 })]));
    expect(table).toMatch(/^slowest object +20 ms /m);
  });

  test('contestant that finished no round -> dashes instead of figures', () => {
    const table = summaryTable(summarize([finished(1, 'holdfast', {}), failed(1, 'upstream', 'it ended')]));
    expect(table.split('\n')[1]).toMatch(/^wall time +1\.00 s +\(1\.00 s to 1\.00 s\) +- +-$/);
  });
});

describe('alignColumns', () => {
  test('cells of different widths -> first column to the left, others to the right, no blanks at the end', () => {
    const cells = [
      ['', 'a', 'bb'],
      ['long name', '1000', ''],
    ];
    expect(alignColumns(cells)).toBe(['              a  bb', 'long name  1000'].join('\n'));
  });
});

describe('resultLine', () => {
  test('finished round -> one line with every figure', () => {
    const result = finished(2, 'upstream', { wallSeconds: 12.345, peakResidentBytes: 80.25 * mebibyte });
    expect(resultLine(result)).toBe(
      'round 2  upstream  wall 12.35 s  first 50 ms  CPU 1.00 s  peak 80.3 MiB  API server 1.00 s  bench 1.00 s  elsewhere 1.00 s',
    );
  });

  test('round 0 -> called the warm-up', () => {
    expect(resultLine(finished(0, 'holdfast', {}))).toMatch(/^warm-up {2}holdfast {2}wall /);
  });

  test('failed round -> says so and why', () => {
    expect(resultLine(failed(1, 'holdfast', 'it ended (exit code 1)'))).toBe(
      'round 1  holdfast  FAILED: it ended (exit code 1)',
    );
  });
});
