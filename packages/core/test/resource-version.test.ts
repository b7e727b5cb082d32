import { expect, test } from '@jest/globals';
import { isOlderVersion } from '@holdfast/core';
import fc from 'fast-check';

// Beyond 2^53 too: a version is a number of 64 bits at least, and KEP-5504 sets no upper limit.
const version = fc.bigInt({ min: 1n, max: 1n << 130n });

test('any two numbers -> older is what is less', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isOlderVersion(a.toString(), b.toString())).toBe(a < b);
    }),
  );
});

test('neighbours -> told apart', () => {
  fc.assert(
    fc.property(version, (a) => {
      expect(isOlderVersion(a.toString(), (a + 1n).toString())).toBe(true);
      expect(isOlderVersion((a + 1n).toString(), a.toString())).toBe(false);
      expect(isOlderVersion(a.toString(), a.toString())).toBe(false);
    }),
  );
});

test.each([
  ['', '5'],
  ['5', ''],
  ['0', '5'],
  ['05', '6'],
  ['5', '06'],
  ['5', '6x'],
  ['-1', '5'],
  ['1.5', '5'],
  ['abc', 'abd'],
  ['1', 'abd'],
])('"%s" and "%s" are not both comparable -> not older', (version, other) => {
  expect(isOlderVersion(version, other)).toBe(false);
});
