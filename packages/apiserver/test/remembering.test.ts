import { describe, expect, jest, test } from '@jest/globals';
import { remembering } from '../src/schema/remembering.ts';

describe('remembering', () => {
  test('text given before -> its result, without another run', () => {
    const compute = jest.fn((text: string) => ({ text }));
    const remembered = remembering(compute);
    const first = remembered('a');
    expect(remembered('a')).toBe(first);
    expect(remembered('b')).toEqual({ text: 'b' });
    expect(compute).toHaveBeenCalledTimes(2);
  });

  test('undefined, and the result of a long text -> not kept', () => {
    const compute = jest.fn((text: string) => (text === 'none' ? undefined : text.length));
    const remembered = remembering(compute);
    const long = 'x'.repeat(65);
    for (const text of ['none', long]) {
      remembered(text);
      remembered(text);
    }
    expect(compute).toHaveBeenCalledTimes(4);
    expect(remembered(long)).toBe(65);
  });

  test('more texts than are kept -> still right for each', () => {
    const remembered = remembering((text) => Number(text));
    const texts = Array.from({ length: 2_500 }, (_, index) => String(index));
    for (const text of [...texts, ...texts]) {
      expect(remembered(text)).toBe(Number(text));
    }
  });
});
