import { expect, test } from '@jest/globals';
import { withoutNulls } from '../../src/custom-resource/server-form.ts';
import type { StructuralSchema } from '../../src/custom-resource/structural-schema.ts';

const text: StructuralSchema = { type: 'string' };
const withText: StructuralSchema = { type: 'object', properties: { a: text } };

test.each<{ title: string; schema: StructuralSchema | undefined; value: unknown; left: unknown }>([
  { title: 'null of a field', schema: withText, value: { a: null }, left: {} },
  {
    title: 'null of a field that says it is not nullable',
    schema: { type: 'object', properties: { a: { ...text, nullable: false } } },
    value: { a: null },
    left: {},
  },
  {
    title: 'null of a nullable field',
    schema: { type: 'object', properties: { a: { ...text, nullable: true } } },
    value: { a: null },
    left: { a: null },
  },
  { title: 'null of a field without a schema', schema: withText, value: { b: null }, left: { b: null } },
  {
    title: 'null of a field whose name every JavaScript object has',
    schema: { type: 'object', properties: {}, additionalProperties: text },
    value: { toString: null },
    left: {},
  },
  {
    title: 'null within a field without a schema',
    schema: withText,
    value: { b: { a: null, c: [null] } },
    left: { b: { a: null, c: [null] } },
  },
  {
    title: 'null of an entry of a map',
    schema: { type: 'object', additionalProperties: text },
    value: { x: null, y: 'z' },
    left: { y: 'z' },
  },
  {
    title: 'null within the items of a list',
    schema: { type: 'array', items: withText },
    value: [{ a: null }, { a: 'b' }],
    left: [{}, { a: 'b' }],
  },
  {
    title: 'null for an item of a list',
    schema: { type: 'array', items: text },
    value: [null, 'a'],
    left: [null, 'a'],
  },
  { title: 'null itself', schema: text, value: null, left: null },
])('$title -> what the API server would look at', ({ schema, value, left }) => {
  const before = structuredClone(value);
  expect(withoutNulls(value, schema)).toEqual(left);
  expect(value).toEqual(before);
});
