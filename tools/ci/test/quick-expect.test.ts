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

  test('values of every other quick matcher -> hold', () => {
    expect({ a: 1, b: [{ c: 2, d: 3 }] }).toMatchObject({ b: [{ c: 2 }] });
    expect(undefined).toBeUndefined();
    expect(null).toBeDefined();
    expect(1).toBeLessThan(2n);
    expect(1).toBeLessThanOrEqual(1);
    expect(2n).toBeGreaterThan(1);
    expect(1).toBeGreaterThanOrEqual(1);
    expect([undefined]).toHaveLength(1);
    expect([NaN, 1]).toContain(1);
    expect('a claim').toContain('claim');
    expect('a claim').toMatch(/cl/g);
    expect('a claim').toMatch('claim');
  });

  test('values that are not to be -> hold', () => {
    expect(-0).not.toBe(0);
    expect({ a: 1 }).not.toEqual({ a: 2 });
    expect(new Volume('a')).not.toStrictEqual({ name: 'a' });
    expect({ a: 1 }).not.toMatchObject({ b: undefined });
    expect(NaN).not.toBeLessThan(1);
    expect([NaN]).not.toContain(NaN);
    expect('a claim').not.toMatch(/volume/);
    expect([1]).not.toHaveLength(2);
  });

  test('expression that is global, twice -> matches both times', () => {
    const expression = /claim/g;
    expect('claim').toMatch(expression);
    expect('claim').toMatch(expression);
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
    ['a field that is missing', () => expect({ a: 1 }).toMatchObject({ a: 1, b: undefined })],
    ['no object', () => expect('a').toMatchObject({})],
    ['no object that is not to be', () => expect('a').not.toMatchObject({})],
    ['a value', () => expect(null).toBeUndefined()],
    ['a value that is undefined', () => expect(undefined).toBeDefined()],
    ['more than less', () => expect(2).toBeLessThan(2)],
    ['less than more', () => expect(2).toBeGreaterThan(2)],
    ['no number', () => expect('1').toBeLessThan(2)],
    ['no number that is not to be', () => expect('3').not.toBeLessThan(2)],
    ['another length', () => expect([1]).toHaveLength(2)],
    ['no length', () => expect(1).toHaveLength(1)],
    ['a part that is missing', () => expect(['ab']).toContain('a')],
    ['no list', () => expect(null).toContain(1)],
    ['an expression that does not match', () => expect('a').toMatch(/b/)],
    ['no text', () => expect(1).toMatch(/1/)],
    ['an argument too many', () => expect(undefined).toBeUndefined(...([1] as unknown as []))],
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
    expect.assertions(4);
    expect(1).toBe(1);
    expect([1]).toEqual([1]);
    expect([1]).toStrictEqual([1]);
    expect(1).not.toBe(2);
  });
});
