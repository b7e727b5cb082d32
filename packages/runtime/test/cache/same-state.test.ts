import { expect, test } from '@jest/globals';
import { isSameState } from '../../src/cache/same-state.ts';

const metadata = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '4' };
/** An object of this version with this field. */
const of = (field: unknown, resourceVersion = '4'): { metadata: typeof metadata } =>
  Object.assign({ metadata: { ...metadata, resourceVersion } }, { spec: { field } });

test.each([
  ['text', 'a', 'b'],
  ['number', 1, 2],
  ['text and number', '1', 1],
  ['false and null', false, null],
  ['null and an empty object', null, {}],
  ['list in another order', ['a', 'b'], ['b', 'a']],
  ['list with one more', ['a'], ['a', 'b']],
  ['list and an object with its indexes', ['a'], { 0: 'a' }],
  ['object with one more field', { a: 1 }, { a: 1, b: 2 }],
  ['object with another name of a field', { a: undefined }, { b: undefined }],
  ['field named as what each object inherits', { a: 1 }, { toString: 1 }],
  ['depth of objects in lists', [{ a: [{ b: 1 }] }], [{ a: [{ b: 2 }] }]],
])('%s -> differs both ways', (_what, one, other) => {
  expect([isSameState(of(one), of(other)), isSameState(of(other), of(one))]).toEqual([false, false]);
  expect([
    isSameState(of(one), of(structuredClone(one))),
    isSameState(of(other), of(structuredClone(other))),
  ]).toEqual([true, true]);
});

test('fields in another order -> the same', () => {
  expect(isSameState(of({ a: 1, b: [2] }), of({ b: [2], a: 1 }))).toBe(true);
});

test('same fields in another version -> differs', () => {
  expect(isSameState(of(1), of(1, '5'))).toBe(false);
});

test('apiVersion and kind as in an object of a watch, without them as in one of a list -> the same', () => {
  const typed = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...of(1) };
  expect([isSameState(typed, of(1)), isSameState(of(1), typed)]).toEqual([true, true]);
  expect(isSameState(typed, of(2))).toBe(false);
});
