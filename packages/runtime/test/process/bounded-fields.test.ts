import { describe, expect, test } from '@jest/globals';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { boundedFields } from '../../src/process/bounded-fields.ts';

const lengthOf = (fields: Record<string, unknown>): number => JSON.stringify(boundedFields(fields)).length;

describe('within the limits', () => {
  const fields = {
    volume: 'pv-1',
    by: ['node-1', 'node-2'],
    delay: 5,
    isLast: true,
    nothing: null,
    absent: undefined,
    nested: { list: [{ name: 'a' }] },
  };

  test('fields of all types -> as they are', () => {
    expect(boundedFields(fields)).toEqual(fields);
  });

  test('a date -> its time', () => {
    expect(boundedFields({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  test('a field is called __proto__ -> kept as a field', () => {
    const odd = JSON.parse('{"__proto__":{"odd":true}}') as Record<string, unknown>;
    expect(JSON.stringify(boundedFields({ odd }))).toBe(JSON.stringify({ odd }));
  });
});

describe('beyond the limits', () => {
  test('a text of 300,000 characters -> its beginning and its length', () => {
    expect(boundedFields({ by: ['x'.repeat(300_000)] })).toEqual({
      by: [`${'x'.repeat(1_024)}...(300000 characters)`],
    });
  });

  test('a list of 10,000 elements -> the first of them, and how many more there are', () => {
    const elements = Array.from({ length: 10_000 }, (_, index) => index);
    expect(boundedFields({ elements })).toEqual({ elements: [...elements.slice(0, 32), '(9968 more)'] });
  });

  test('an object of 10,000 members -> the first of them, and how many more there are', () => {
    const members = Object.fromEntries(elementsOf(10_000).map((each) => [`member-${each}`, each]));
    const { members: logged } = boundedFields({ members }) as { readonly members: object };
    expect(Object.entries(logged)).toEqual([...Object.entries(members).slice(0, 32), ['...', '(9968 more)']]);
  });

  test('a member whose name has 300,000 characters -> its beginning', () => {
    expect(boundedFields({ labels: { ['x'.repeat(300_000)]: 'y' } })).toEqual({
      labels: { [`${'x'.repeat(1_024)}...(300000 characters)`]: 'y' },
    });
  });

  test('lists 500 deep, or in a circle -> cut where they are deep', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(boundedFields({ circle })).toEqual({ circle: [[[['...']]]] });
  });

  test('lists each within their limits, and together beyond those of a line -> the last are cut, other fields stay', () => {
    const names = elementsOf(32).map((each) => each.padEnd(1_000, 'x'));
    expect(lengthOf({ a: names, b: names, c: { d: names } })).toBeLessThan(20_000);
    expect(boundedFields({ a: names, last: ['x'], reason: 'Attached' })).toMatchObject({
      last: ['...(1 characters)'],
      reason: 'Attached',
    });
  });

  test('a secret where a text is cut -> nothing of it', () => {
    const secret = 'kXq7-bounded-fields-secret-9w';
    processSecrets.add(secret);
    const text = `${'x'.repeat(1_015)}${secret}${'y'.repeat(100)}`;
    expect(JSON.stringify(boundedFields({ text }))).not.toContain('kXq7');
  });
});

describe('errors', () => {
  test('as err -> left to the serializer', () => {
    const err = new Error('no');
    expect(boundedFields({ err }).err).toBe(err);
  });

  test('elsewhere -> their fields that are logged, and no others', () => {
    const error = Object.assign(new Error('no'), { headers: 'not to be logged' });
    expect(boundedFields({ errors: [error] })).toEqual({
      errors: [expect.objectContaining({ type: 'Error', message: 'no' })],
    });
    expect(JSON.stringify(boundedFields({ errors: [error] }))).not.toContain('not to be logged');
  });
});

function elementsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}
