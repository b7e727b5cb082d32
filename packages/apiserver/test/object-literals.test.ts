import { describe, expect, test } from '@jest/globals';
import { UndeclaredName, rewriteLiterals } from '../src/cel/object-literals.ts';

const isType = (name: string): boolean => name === 'A' || name.startsWith('A.');
const rewritten = (text: string): string => rewriteLiterals(text, isType).text;

describe('literal', () => {
  test.each([
    ['without fields', 'A{}', 'k8s_new("A",[])'],
    ['with fields', 'A{b: 1, c: "d"}', 'k8s_new("A",["b", 1,"c", "d"])'],
    ['with an optional field', 'A{?b: c.?d}', 'k8s_new("A",["?b", c.?d])'],
    ['with a comma at the end', 'A{b: 1,}', 'k8s_new("A",["b", 1,])'],
    ['within another', 'A{b: A.b{c: 1}}', 'k8s_new("A",["b", k8s_new("A.b",["c", 1])])'],
    [
      'in a list of a field',
      'A{b: [A.b{}, A.b{}]}',
      'k8s_new("A",["b", [k8s_new("A.b",[]), k8s_new("A.b",[])]])',
    ],
    ['with a map', 'A{b: {"c": 1, "d": 2}, e: 3}', 'k8s_new("A",["b", {"c": 1, "d": 2},"e", 3])'],
    ['with a call', 'A{b: f(x, y), e: 3}', 'k8s_new("A",["b", f(x, y),"e", 3])'],
    ['with blanks and comments in its name', 'A . // {\n b {c:1}', 'k8s_new("A.b",["c",1])'],
    [
      'with an optional entry of a map',
      'A{b: {?"c": d, "e": 1}}',
      'k8s_new("A",["b", {"c":k8s_given( d), "e": 1}])',
    ],
    ['with an optional item', 'A{b: [1, ?c, ? d]}', 'k8s_new("A",["b", [1,k8s_given(c),k8s_given( d)]])'],
    ['with an optional index', 'A{b: c[?"d"], e: f()[?0]}', 'k8s_new("A",["b", c[?"d"],"e", f()[?0]])'],
    [
      'with a choice in an optional entry',
      'A{b: {?"c": d ? e : f}}',
      'k8s_new("A",["b", {"c":k8s_given( d ? e : f)}])',
    ],
    [
      'with a choice in a map',
      'A{b: {"c": d ? 1 : 2, ?"e": f}}',
      'k8s_new("A",["b", {"c": d ? 1 : 2,"e":k8s_given( f)}])',
    ],
    ['with a field of a reserved name', 'A{in: 1}', 'k8s_new("A",["in", 1])'],
  ])('%s -> a call', (_, text, call) => {
    expect(rewritten(text)).toBe(call);
  });

  test.each([
    ['a text', '"A{}"'],
    ['a text with escapes', '"\\"A{}"'],
    ['a raw text', "r'A{b: 1}'"],
    ['a text of several lines', '"""A{\n"}"""'],
    ['a comment', '1 // A{}'],
    ['a text without an end', '"A{}'],
    ['what is not: a map that is looked into', '"a" in {"a": 1}'],
  ])('in %s -> left alone', (_, text) => {
    expect(rewritten(text)).toBe(text);
  });

  test('of no type, or the name of the call -> where it stands', () => {
    const position = (text: string): number => {
      try {
        rewritten(text);
      } catch (error) {
        return error instanceof UndeclaredName ? error.position : -2;
      }
      return -1;
    };
    expect([position('x + B{}'), position('A{b: B.c {}}'), position('k8s_new("A", [])')]).toEqual([5, 9, 7]);
  });

  test('every character -> comes from where it stood', () => {
    const given = '  x ? A{b: nope, c: A.c{d: other}} : A{}';
    const { text, origin } = rewriteLiterals(given, isType);
    for (const word of ['x ?', 'nope', 'other', ': k8s_new("A",[])']) {
      const first = word.slice(0, 2);
      expect(given.slice(origin(text.indexOf(word)), origin(text.indexOf(word)) + 2)).toBe(first);
    }
    expect(origin(text.length)).toBe(given.length);
  });

  test.each([
    ['a long chain', `${'a.'.repeat(200_000)}a`],
    ['many escapes without an end', `"${'\\"'.repeat(200_000)}`],
    ['blanks where a field is looked for', `A{${' '.repeat(200_000)})`],
    ['many openings', 'A{'.repeat(100_000)],
    ['blanks after names', `a ${' '.repeat(1000)}`.repeat(300)],
  ])('%s -> read once', (_, text) => {
    let asked = 0;
    const { text: result } = rewriteLiterals(text, () => (asked += 1) > 0);
    expect(result.length).toBeGreaterThanOrEqual(text.length - 1);
  });
});
