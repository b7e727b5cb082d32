import { expect, test } from '@jest/globals';
import { ratcheted } from '../src/custom-resources/ratcheting.ts';
import { type FieldError, invalid } from '../src/meta/field-error.ts';
import type { Json } from '../src/meta/json.ts';
import type { SchemaNode } from '../src/structural/schema-node.ts';
import { validateValue } from '../src/structural/validate.ts';

const integer: SchemaNode = { type: 'integer', minimum: 100 };
const item: SchemaNode = {
  type: 'object',
  properties: { k: { type: 'string' }, p: { type: 'string', default: 'TCP' }, v: integer },
};
const schema: SchemaNode = {
  type: 'object',
  properties: {
    map: {
      type: 'array',
      items: item,
      maxItems: 1,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'p'],
    },
    list: { type: 'array', items: integer },
  },
};
const a = { k: 'a', v: 1 };
const b = { k: 'b', v: 2 };

test.each<[string, Json, Json, string[]]>([
  ['items of a map in another order', { map: [a, b] }, { map: [b, a] }, []],
  ['item of a map with the default of its key', { map: [a, b] }, { map: [{ ...a, p: 'TCP' }, b] }, ['map']],
  ['item of a map changed', { map: [a, b] }, { map: [{ ...b, v: 3 }, a] }, ['map[0].v', 'map']],
  ['item of a map with another key', { map: [a, b] }, { map: [a, { ...b, k: 'c' }] }, ['map[1].v', 'map']],
  ['item of a map gone', { map: [a, b] }, { map: [b] }, []],
  ['list as it was', { list: [1, 2] }, { list: [1, 2] }, []],
  ['items of a list in another order', { list: [1, 2] }, { list: [2, 1] }, ['list[0]', 'list[1]']],
])('%s -> refused only where it changed', (_, before, after, refused) => {
  const errorsOf = (value: Json): FieldError[] => validateValue(value, schema, '');
  const errors = ratcheted(errorsOf(after), () => errorsOf(before), after, before, schema);
  expect(errors.map(({ field }) => field)).toEqual(refused);
});

test.each(['map', 'list'])('many errors in one %s -> each item is read a few times', (field) => {
  const count = 300;
  let reads = 0;
  const many = (): Json => ({
    [field]: Array.from({ length: count }, (_, index) =>
      Object.defineProperty({ v: 1 }, 'k', {
        enumerable: true,
        get: () => {
          reads += 1;
          return `k${String(index)}`;
        },
      }),
    ),
  });
  const errors = Array.from({ length: count }, (_, index) => invalid(`${field}[${index}].v`, 1, 'too small'));
  const node: SchemaNode = {
    type: 'object',
    properties: { map: schema.properties?.['map'] ?? {}, list: { type: 'array', items: item } },
  };
  expect(ratcheted(errors, () => errors, many(), many(), node)).toStrictEqual([]);
  expect(reads).toBeLessThan(count * 20);
});
