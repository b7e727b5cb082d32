import { describe, expect, test } from '@jest/globals';
import { parseJsonPath } from '../src/selectors/json-path.ts';

const items = [{ name: 'x y' }, { name: 'z' }, { name: 1 }];

describe('filters of JSON paths', () => {
  test.each([
    ['[?(@.name=="x y")]', [items[0]]],
    ['[?( @.name  ==  "x y"  )]', [items[0]]],
    ['[?(@.name ==1)]', [items[2]]],
    ['[?(@.name>= 1 )]', [items[2]]],
    ['[?(@.name)]', items],
    ['[?( @.name )]', items],
  ])('%s -> the items that it keeps', (path, kept) => {
    expect(parseJsonPath(path)(items)).toEqual(kept);
  });

  test.each(['[?(@.name==)]', '[?(@.name==  )]', '[?(@.name=="x"', '[?(@.name "x")]', '[?()]'])(
    '%s -> no path',
    (path) => {
      expect(() => parseJsonPath(path)).toThrow('JSON path');
    },
  );

  // A pattern that tries each way to part the spaces needs days for these.
  test('a hundred thousand spaces and no end -> no path', () => {
    const blank = ' '.repeat(100_000);
    expect(() => parseJsonPath(`[?(@.name==${blank}x`)).toThrow('JSON path');
    expect(() => parseJsonPath(`[?(@.name==${blank}x${blank})x`)).toThrow('JSON path');
  });
});
