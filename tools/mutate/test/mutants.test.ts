import { describe, expect, test } from '@jest/globals';
import { mutantsOf } from '../src/mutants.ts';

const changed = (text: string) => mutantsOf('decide.ts', text).map(({ after }) => after);

describe('what is changed', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'and -> either side alone, and never',
      'const x = () => a && b;',
      ['const x = () => a;', 'const x = () => b;', 'const x = () => false;'],
    ],
    [
      'or -> either side alone, and always',
      'const x = () => a || b;',
      ['const x = () => a;', 'const x = () => b;', 'const x = () => true;'],
    ],
    [
      'default -> without it, and always',
      'const x = () => a ?? b;',
      ['const x = () => a;', 'const x = () => b;'],
    ],
    [
      'comparison -> its border, always and never',
      'const x = () => a < b;',
      ['const x = () => true;', 'const x = () => false;', 'const x = () => a <= b;'],
    ],
    [
      'choice -> one and the other',
      'const x = () => (a === 1 ? b : c);',
      ['const x = () => (b);', 'const x = () => (c);', 'const x = () => (a === 2 ? b : c);'],
    ],
    [
      'condition -> never and always',
      'if (a) { b; }',
      ['if (false) { b; }', 'if (true) { b; }', 'if (a) { ; }'],
    ],
    ['loop -> not once', 'while (a) { b; }', ['while (false) { b; }', 'while (a) { ; }']],
    ['call for effect -> left out', 'a.b();', [';']],
    [
      'answer yes or no -> always and never',
      'const x = () => isOwned(a);',
      ['const x = () => true;', 'const x = () => false;'],
    ],
    [
      'some -> every',
      'const x = () => a.some(b) && c;',
      [
        'const x = () => a.some(b);',
        'const x = () => c;',
        'const x = () => false;',
        'const x = () => a.every(b) && c;',
      ],
    ],
    ['filter -> all', 'const x = () => a.filter(b);', ['const x = () => a;']],
    [
      'elements -> without one of them',
      'const x = () => [a, b];',
      ['const x = () => [b];', 'const x = () => [a, ];'],
    ],
    ['parts that are spread -> without one', 'const x = () => ({ ...a, b });', ['const x = () => ({ b });']],
    ['optional -> for sure', 'const x = () => a?.b.c();', ['const x = () => a.b.c();']],
    ['words -> none', "const x = () => 'a';", ["const x = () => '';"]],
    [
      'no words -> some',
      "const x = () => a === '' && b;",
      [
        "const x = () => a === '';",
        'const x = () => b;',
        'const x = () => false;',
        "const x = () => a === 'mutated' && b;",
      ],
    ],
    [
      'template -> without one of its words',
      'const x = () => `a${b}/${c}`;',
      ['const x = () => `${b}/${c}`;', 'const x = () => `a${b}${c}`;'],
    ],
    ['small number -> one more', 'const x = () => a[0];', ['const x = () => a[1];']],
    ['large number -> 0', 'const x = () => 5_000;', ['const x = () => 0;']],
    [
      'pattern -> without an anchor, a class turned round',
      'const x = () => /^[a]\\d$/;',
      [
        'const x = () => /[a]\\d$/;',
        'const x = () => /^[a]\\d/;',
        'const x = () => /^[^a]\\d$/;',
        'const x = () => /^[a]\\D$/;',
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(changed(text)).toEqual(expected);
  });
});

describe('what is not', () => {
  test.each([
    ['types', "type X = 'a' | 1; interface Y { readonly a: true; }"],
    ['imports and exports', "import { a } from 'b'; export { c } from 'd';"],
    ['names of properties', "const x = () => ({ 'a': b });"],
    ['what an error says', "function x() { throw new TypeError('a'); }"],
    ['what a function that makes an error is given', "function x() { throw refusal('a', `b ${c ?? 'd'}`); }"],
    ['what is assigned to', 'const x = () => { [a] = b; };'],
  ])('%s', (_, text) => {
    expect(changed(text).filter((after) => after !== 'const x = () => { ; };')).toStrictEqual([]);
  });

  test('what is logged -> only whether it is', () => {
    expect(changed("logger.warn({ a: 1 }, 'b');")).toEqual([';']);
  });
});

test.each([
  ["function x() { throw a === 'b' ? c : d; }", ['c', 'd', "a === ''"]],
  ["function x() { throw isIn('b') ? c : d; }", ['c', 'd', "isIn('')"]],
  ["function x() { throw a(() => b('c')); }", ["a(() => b(''))"]],
  ["function x() { return refusal('a'); }", ["refusal('')"]],
])('%s -> what is no word of the error is changed', (text, expected) => {
  const thrown = changed(text).map((after) => /(?:throw|return) (.*?)(?: \? c : d)?; }/.exec(after)?.[1]);
  expect(thrown).toEqual(expected);
});

test.each([
  ['spread', 'const x = () => ({\n  b,\n  ...a,\n});', ['const x = () => ({\n  b,\n  \n});']],
  [
    'element',
    'const x = () => [\n  a,\n  b, // c\n];',
    ['const x = () => [\n  b, // c\n];', 'const x = () => [\n  a,\n   // c\n];'],
  ],
])('last %s of a literal in lines -> left out with its comma', (_, text, expected) => {
  const texts = mutantsOf('decide.ts', text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
  expect(texts).toEqual(expected);
});

test('evaluated when the module is loaded -> only what is outside of functions', () => {
  const text = 'const a = 1;\nfunction b() { return 2; }';
  expect(mutantsOf('decide.ts', text).map(({ line, isStatic }) => [line, isStatic])).toEqual([
    [1, true],
    [2, false],
  ]);
});

test('a place that goes over lines -> named by all of them, in one', () => {
  const [mutant] = mutantsOf('decide.ts', 'const x = () =>\n  a &&\n  b;\n');
  expect(mutant).toMatchObject({ line: 2, before: 'a && b;', after: 'a;' });
});
