import { describe, expect, test } from '@jest/globals';

/** What the matcher says of a value that is not as expected. */
function complaint(assertion: () => void): { readonly message: string; readonly firstLine: string } {
  try {
    assertion();
  } catch (error) {
    const { message, stack = '' } = error as Error;
    return {
      message,
      firstLine: stack
        .slice(stack.indexOf('\n    at ') + 8)
        .split('\n', 1)
        .join(),
    };
  }
  throw new Error('the assertion holds');
}

class Volume {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

describe('expect', () => {
  test('equal values -> hold; asymmetric, undefined fields, maps, sets, NaN, typed arrays alike', () => {
    expect(NaN).toBe(NaN);
    expect({ a: 1, b: undefined }).toEqual({ a: 1 });
    expect({ name: 'data', at: 5 }).toEqual({ name: expect.stringMatching(/^d/), at: expect.any(Number) });
    expect(new Map([['a', new Set([1])]])).toEqual(new Map([['a', new Set([1])]]));
    expect(new Volume('a')).toEqual({ name: 'a' });
    expect(new Volume('a')).toStrictEqual(new Volume('a'));
    expect(new Uint8Array([1, 2])).toStrictEqual(new Uint8Array([1, 2]));
  });

  test.each<[string, () => void]>([
    ['-0 and 0', () => expect(-0).toBe(0)],
    ['two objects', () => expect({}).toBe({})],
    ['another value', () => expect({ a: 1 }).toEqual({ a: 2 })],
    ['a set that has less', () => expect(new Set([1])).toEqual(new Set([1, 2]))],
    ['a field that is undefined, strictly', () => expect({ a: undefined }).toStrictEqual({})],
    ['another class, strictly', () => expect(new Volume('a')).toStrictEqual({ name: 'a' })],
    ['a hole, strictly', () => expect(Array(1)).toStrictEqual([undefined])],
    ['other bytes, strictly', () => expect(new Uint8Array([1])).toStrictEqual(new Uint8Array([2]))],
    ['equal values that were not to be', () => expect(1).not.toBe(1)],
  ])('%s -> refused in words of jest, at the line of the test', (_, assertion) => {
    const { message, firstLine } = complaint(assertion);
    expect(message).toMatch(/^(\u001b\[\d+m)*expect\(.*received.*\)\./);
    expect(firstLine).toContain('quick-expect.test.ts');
  });

  test('promises -> resolves and rejects as ever', async () => {
    await expect(Promise.resolve(1)).resolves.toBe(1);
    await expect(Promise.reject(new Error('no'))).rejects.toThrow('no');
    await expect(expect(Promise.resolve(1)).resolves.toBe(2)).rejects.toThrow('Expected');
  });

  test('assertions are counted', () => {
    expect.assertions(3);
    expect(1).toBe(1);
    expect([1]).toEqual([1]);
    expect([1]).toStrictEqual([1]);
  });
});
