import { expect, test } from '@jest/globals';
import { parseTimestamp } from '../src/timestamp.ts';

test.each([
  ['2026-11-22T12:00:00Z', Date.UTC(2026, 10, 22, 12)],
  ['2026-11-22T12:00:00.25Z', Date.UTC(2026, 10, 22, 12, 0, 0, 250)],
  ['2026-11-22T12:00:00+02:00', Date.UTC(2026, 10, 22, 10)],
  ['2026-11-22T23:30:00-05:00', Date.UTC(2026, 10, 23, 4, 30)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['1970-01-01T00:00:00Z', 0],
  ['2262-04-11T23:47:16Z', Date.UTC(2262, 3, 11, 23, 47, 16)],
])('timestamp %s -> its milliseconds', (text, milliseconds) => {
  expect(parseTimestamp(text)).toBe(milliseconds);
});

test.each([
  '',
  'tomorrow',
  '2026-11-22',
  '2026-11-22T12:00:00',
  '2026-11-22 12:00:00Z',
  '22 Nov 2026 12:00:00 GMT',
  '2026-02-30T12:00:00Z',
  '2025-02-29T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-11-22T25:00:00Z',
  '2026-11-22T12:00:00Zulu',
  '1763812800',
])('text "%s", no timestamp -> undefined', (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});
