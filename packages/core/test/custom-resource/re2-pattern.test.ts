import { expect, test } from '@jest/globals';
import { re2Pattern } from '../../src/custom-resource/re2-pattern.ts';

/** What `\s` is in JavaScript. */
const spaces = '\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

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
  [/(a(?:b))/, '(a(?:b))'],
  [/(?:a){1000}/, '(?:a){1000}'],
  [/(?:a*){1000}/, '(?:a*){1000}'],
  [/(?:a{1}b{0}){1000}/, '(?:a{1}b{0}){1000}'],
  [/[a\x2dz]/, '[a\\-z]'],
  [/[\x5ea]/, '[\\^a]'],
  [/[\u002d-9]/, '[\\--9]'],
  [/[\x2b]/, '[+]'],
  [/[\.-9]/, '[.-9]'],
  [/[\.-9]d/, '[.-9]d'],
  [/[+-\.]/, '[+-.]'],
  [/[+-\.]d/, '[+-.]d'],
  [/[a-zd]/, '[a-zd]'],
  [/😀/u, '😀'],
  [/\.\x41/, '\\.A'],
  [/\.\p{Lu}/u, '\\.\\p{Lu}'],
  [/\s/, `[${spaces}]`],
  [/[\sa]/, `[${spaces}a]`],
  [/\S/, `[^${spaces}]`],
  [/\0a1/, '\\x00a1'],
  [/1\0/, '1\\x00'],
  [/\*/, '\\*'],
  [/\x01\x1f\x20\x7e\x7f\x80/, '\\x01\\x1f ~\\x7f\u0080'],
  [/\ud7ff\ue000/, '\ud7ff\ue000'],
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
  [/(?:a{1,100}){11}/, 'repeated 1100 times'],
  [/(?:a{100,}){11}/, 'repeated 1100 times'],
  [/(?:a+b{100}){11}/, 'repeated 1100 times'],
  [new RegExp('\\u{41}'), '\\u is not known'],
  [new RegExp('\\01'), '\\0 is not known'],
  [/\ud800/, 'half of a character'],
  [/\udfff/, 'half of a character'],
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

test.each([
  [/a/i, 'the flag i is not known there; write what it means into the pattern, such as [a-zA-Z] for i'],
  [
    /(?=a)/,
    '(?= is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL',
  ],
  [
    /(?<!a)b/,
    '(?<! is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL',
  ],
  [
    /a{1001}/,
    'a{1001} is repeated 1001 times, and 1000 are the most; bound the length by min and max instead',
  ],
  [/(?<größe>a)/, 'the name of the group größe is not known there; use letters, digits and _'],
  [/[]/, 'an empty class [] is not known there; write the characters'],
  [/[^]/, 'an empty class [^] is not known there; write the characters'],
  [/(a)\1/, '\\1 is not known there: RE2 has no back references; write the characters, or a rule in CEL'],
  [
    /\a/,
    '\\a is not known there: RE2 does not know it, or means something else; write the characters, or a rule in CEL',
  ],
  [/\ud83d/, 'half of a character in \\ud83d matches nothing there; write the whole, with the flag u'],
])('%s -> says what is wrong, and what to do', (pattern, why) => {
  expect(re2Pattern(pattern)).toEqual({ kind: 'refused', why });
});
