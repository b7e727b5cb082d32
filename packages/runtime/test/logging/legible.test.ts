import { expect, test } from '@jest/globals';
import { legible } from '../../src/logging/legible.ts';

test.each([
  { what: 'plain', message: 'ünïcödé "x"', line: 'ünïcödé "x"' },
  { what: 'two lines', message: 'a\nb\r\u2028c', line: 'a\\u000ab\\u000d\\u2028c' },
  { what: 'escape sequence', message: '\u001b[31m', line: '\\u001b[31m' },
  { what: 'turned direction', message: '\u202egnp.exe', line: '\\u202egnp.exe' },
  { what: 'half a character', message: '\ud800', line: '\\ud800' },
  { what: 'long word', message: `a ${'x'.repeat(500)} b`, line: `a ${'x'.repeat(200)}...(500 characters) b` },
  { what: 'many words', message: 'x '.repeat(5_000), line: `${'x '.repeat(1_000)}...` },
])('$what -> one line for people', ({ message, line }) => {
  expect(legible(message)).toBe(line);
});
