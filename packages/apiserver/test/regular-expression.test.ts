import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExpressionError, regularExpression } from '../src/structural/regular-expression.ts';

/*
 * Expressions of Go's package regexp. What JavaScript has the same is compared with that; the rest is what Go 1.26
 * answers.
 */

describe('as JavaScript has it', () => {
  const atoms = ['a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '^', '$', '\\b', '(?:)', '1', '-'];
  const repeats = ['', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{1,}'];
  const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
    expression: fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
    part: fc.oneof(
      { maxDepth: 3 },
      fc
        .tuple(fc.constantFrom(...atoms.slice(0, 7)), fc.constantFrom(...repeats))
        .map((each) => each.join('')),
      fc.constantFrom(...atoms),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(?:${a}|${b})`),
      fc.tuple(tie('expression'), fc.constantFrom('', '?', '{2}')).map(([a, times]) => `(?:x${a})${times}`),
    ),
  }));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'x', '1', '-', '\n', 'é', '😀'), { maxLength: 8 })
    .map((each) => each.join(''));

  test('any expression, any text -> matches, and the first match, alike', () => {
    fc.assert(
      fc.property(expression, text, (source, input) => {
        const theirs = new RegExp(source, 'u').exec(input);
        const ours = regularExpression(source);
        expect(ours.test(input)).toBe(theirs !== null);
        expect(ours.findAll(input, 1)).toEqual(theirs === null ? [] : [theirs[0]]);
      }),
    );
  });
});

test.each([
  ['(a+)+$', 100_000],
  ['^(a|a)*$', 100_000],
  ['(.*)(.*)(.*)(.*)[0-9]$', 20_000],
  ['((((a+)+)+)+)+$', 50_000],
  ['(a?){30}a{30}$', 20_000],
  ['(?P<x>a)(?P<x>a)*$', 20_000],
])('%j, which would take JavaScript for ever -> answered for %d characters', (pattern, length) => {
  expect(regularExpression(pattern).test(`${'a'.repeat(length)}!`)).toBe(false);
});

test('names of classes that never end -> refused in linear time', () => {
  expect(() => regularExpression('\\p{'.repeat(300_000))).toThrow(ExpressionError);
});

describe('what Go has otherwise', () => {
  test.each([
    ['(?i)straße', 'STRAßE', true],
    ['(?i)k', '\u212a', true],
    ['a(?i)b', 'aB', true],
    ['a(?i)b', 'AB', false],
    ['(?i:a)b', 'AB', false],
    ['(?s).', '\n', true],
    ['.', '\n', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb', false],
    ['\\Ab\\z', 'b', true],
    ['b$', 'b\n', false],
    ['[[:alpha:]][[:^digit:]]', 'a-', true],
    ['[^[:space:]]', ' ', false],
    ['\\s', '\u00a0', false],
    ['\\p{Greek}\\pL\\P{Lu}\\p{^Lu}', 'αaaa', true],
    ['\\x41\\x{1F600}\\101\\a', 'A😀A\u0007', true],
    ['\\Qa.b\\E+', 'a.bb', true],
    ['\\Qa.b\\E', 'axb', false],
    ['(?P<year>\\d+)-(?<month>\\d+)', '2026-03', true],
    ['(?P<x>a)(?<x>b)', 'ab', true],
    ['^[(?P<x>]+(?P<x>a)(?P<x>b)$', '(x)>ab', false],
    ['^[(?P<x>]+(?P<x>a)(?P<x>b)$', '(x>ab', true],
    ['^\\p{letter}\\p{Lowercase_Letter}\\p{ lu }\\p{greek}\\pl$', 'éaBαz', true],
    ['^\\P{^letter}\\p{^letter}$', 'a1', true],
    ['^\\p{ascii}[\\P{ASCII}x]\\P{ASCII}$', 'aéé', true],
    ['^\\p{ascii}$', 'é', false],
    ['\\Q\\p{letter}\\E', '\\p{letter}', true],
    ['a{,2}', 'a{,2}', true],
    ['a{', 'a{', true],
    ['[]a]', ']', true],
    ['[a-]', '-', true],
    ['[^a]', '\n', true],
    ['^.$', '😀', true],
    ['x*', '', true],
    ['(|a)*b', 'aab', true],
    ['(?U)^a+$', 'aa', true],
    ['\\.\\-\\/\\_', './-_', false],
    ['\\.\\-\\/\\_', '.-/_', true],
    ['(?i-s)A.', 'ab', true],
  ])('%j, %j -> %s', (pattern, text, isFound) => {
    expect(regularExpression(pattern).test(text)).toBe(isFound);
  });

  test.each([
    ['a*', 'baac', Infinity, ['', 'aa', '']],
    ['a*?', 'aa', Infinity, ['', '', '']],
    ['a|ab', 'ab ab', Infinity, ['a', 'a']],
    ['(?U)a+', 'aaa', Infinity, ['a', 'a', 'a']],
    ['[a-z]+', 'one two three', 2, ['one', 'two']],
    ['[a-z]+', 'one', 0, []],
    ['.', '😀é', Infinity, ['😀', 'é']],
    ['x*', '', Infinity, ['']],
  ])('all of %j in %j, at most %d -> %j', (pattern, text, limit, found) => {
    expect(regularExpression(pattern).findAll(text, limit)).toEqual(found);
  });

  test.each([
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['(?<!a)b', 'invalid named capture'],
    ['(a)\\1', 'invalid escape sequence'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator'],
    ['a{1001}', 'invalid repeat count'],
    ['(a{100}){100}', 'invalid repeat count'],
    ['a{2,1}', 'invalid repeat count'],
    ['[a', 'missing closing ]'],
    ['[]', 'missing closing ]'],
    ['[z-a]', 'invalid character class range'],
    ['\\p{Nope}', 'invalid character class range: `\\p{Nope}`'],
    ['\\p{Old_Italic}', 'invalid character class range'],
    ['(?P<a-b>c)', 'invalid named capture: `(?P<a-b>`'],
    ['[[:nope:]]', 'invalid character class range'],
    ['(a', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['a\\', 'trailing backslash'],
    ['\\y', 'invalid escape sequence'],
    ['(?z)', 'invalid or unsupported Perl syntax'],
    [`${'('.repeat(1_001)}${')'.repeat(1_001)}`, 'nests too deeply'],
  ])('%j -> refused: %s', (pattern, problem) => {
    const compile = () => regularExpression(pattern);
    expect(compile).toThrow(ExpressionError);
    expect(compile).toThrow(problem);
  });
});
