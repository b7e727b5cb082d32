import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTimestamp, parseTimestamp } from '../src/timestamp.ts';

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

test.each([
  [Date.UTC(2026, 10, 22, 12, 0, 0, 999), '2026-11-22T12:00:00Z'],
  [0, '1970-01-01T00:00:00Z'],
])('%d ms -> %s, whole seconds', (milliseconds, text) => {
  expect(formatTimestamp(new Date(milliseconds))).toBe(text);
});

test('any time of four-digit years -> read back as its second', () => {
  const time = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(time, (date) => {
      expect(parseTimestamp(formatTimestamp(date))).toBe(Math.floor(date.getTime() / 1000) * 1000);
    }),
  );
});

test('no time -> thrown', () => {
  expect(() => formatTimestamp(new Date(NaN))).toThrow(RangeError);
});
