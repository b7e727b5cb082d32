import { expect, test } from '@jest/globals';
import { quoted } from '../../src/logging/quoted.ts';

test.each([
  ['', '""'],
  ['30"min', '"30\\"min"'],
  ['x'.repeat(100), `"${'x'.repeat(100)}"`],
  ['x'.repeat(101), `"${'x'.repeat(100)}" and 1 characters more`],
])('%j -> %s', (value, shown) => {
  expect(quoted(value)).toBe(shown);
});
