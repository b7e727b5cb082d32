import { expect, test } from '@jest/globals';
import { re2Pattern } from '../../src/custom-resource/re2-pattern.ts';

test.each([
  [/^[a-z]([-a-z0-9]*[a-z0-9])?$/, '^[a-z]([-a-z0-9]*[a-z0-9])?$'],
  [/^a.b$/, '^a[^\\n\\r\u2028\u2029]b$'],
  [/a.b/s, 'a(?s:.)b'],
  [/\//, '/'],
  [/a\-b\.c\_/, 'a-b\\.c_'],
  [/[\w.\-/[]/, '[\\w.\\-/\\[]'],
  [/[\d-x]/, '[\\d\\-x]'],
  [/[+-\d]/, '[+\\-\\d]'],
  [/[^\]^]/, '[^\\]^]'],
  [/(?<year>\d{4})-(?:0|1)+?/, '(?P<year>\\d{4})-(?:0|1)+?'],
  [/\u0041\x2e\t\0/, 'A\\.\\t\\x00'],
  [/\u{1f600}\p{Lu}/u, '\u{1f600}\\p{Lu}'],
  [/a{2,}b{0,1000}/, 'a{2,}b{0,1000}'],
  [/a{,2}b}/, 'a\\{,2\\}b\\}'],
  [/\bword\B/, '\\bword\\B'],
  [/(?:=a)/, '(?:=a)'],
])('%s -> means the same to RE2 as %s', (pattern, expected) => {
  expect(re2Pattern(pattern)).toEqual({ kind: 'pattern', pattern: expected });
});

test.each([
  [/(?=a)/, 'look-ahead'],
  [/(?!a)/, 'look-ahead'],
  [/(?<=a)b/, 'look-behind'],
  [/(?<!a)b/, 'look-behind'],
  [/(a)\1/, 'back references'],
  [/(?<x>a)\k<x>/, 'back references'],
  [/a/i, 'the flag i'],
  [/^a$/m, 'the flag m'],
  [/a/g, 'the flag g'],
  [/[^]/, 'empty class'],
  [/[]/, 'empty class'],
  [/[\S]/, '\\S is not known'],
  [/[\b]/, '\\b is not known'],
  [/\a/, '\\a is not known'],
  [/\cA/, '\\c is not known'],
  [new RegExp('\\p{L}'), '\\p is not known'],
  [/\p{Script=Greek}/u, '\\p is not known'],
  [/a{1001}/, 'repeated 1001 times'],
  [/(?:a{100}){11}/, 'repeated 1100 times'],
  [/\u{1f600}/u, undefined],
  [/😀/, 'add it'],
  [/\ud83d/, 'half of a character'],
  [/(?<größe>a)/, 'the name of the group'],
])('%s -> refused for %s', (pattern, why) => {
  const result = re2Pattern(pattern);
  expect(result.kind === 'refused' ? result.why : undefined).toEqual(
    why === undefined ? undefined : expect.stringContaining(why),
  );
});
