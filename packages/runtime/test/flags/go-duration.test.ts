import { expect, test } from '@jest/globals';
import { parseGoDuration } from '../../src/flags/go-duration.ts';

// The forms are those of Go's time.ParseDuration that are not negative.
test.each([
  ['0', 0],
  ['0s', 0],
  ['15s', 15_000],
  ['1m30s', 90_000],
  ['2h', 7_200_000],
  ['1h0m0.5s', 3_600_500],
  ['1.5s', 1_500],
  ['100ms', 100],
  ['250us', 0.25],
  ['250µs', 0.25],
  ['250μs', 0.25],
  ['1000000ns', 1],
  ['1h1m1s1ms', 3_661_001],
  ['.5s', 500],
  ['1.s', 1_000],
  ['90m', 5_400_000],
])('%s -> %d ms', (text, milliseconds) => {
  expect(parseGoDuration(text)).toBeCloseTo(milliseconds, 9);
});

test.each([
  '',
  '15',
  '1.5',
  's',
  '.s',
  '1d',
  '15S',
  '15 s',
  ' 15s',
  '15s ',
  '1s,',
  '1..5s',
  '1e3s',
  '-1s',
  'x15s',
])('"%s" -> none', (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

// What a user has written into an annotation comes here too, for each claim of a workload.
test.each([
  ['256 KiB of digits', '1'.repeat(256 * 1024)],
  ['256 KiB of digits behind a point', `0.${'1'.repeat(256 * 1024)}`],
  ['256 KiB of durations', '1h'.repeat(128 * 1024)],
  ['101 characters', `${'0'.repeat(99)}1h`],
])('%s -> none', (_what, text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test('100 characters -> their sum', () => {
  expect(parseGoDuration('1h'.repeat(50))).toBe(50 * 3_600_000);
});
