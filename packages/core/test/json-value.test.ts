import { expect, test } from '@jest/globals';
import { isJson, isRecord, isSameJson } from '../src/json-value.ts';

const withoutPrototype: unknown = Object.assign(Object.create(null), { a: 1 });
class Point {
  readonly x = 1;
}

test.each([
  [null],
  [true],
  [''],
  [0],
  [-1.5],
  [[]],
  [{}],
  [[1, [null, 'a']]],
  [{ a: { b: [false] } }],
  [withoutPrototype],
])('%j -> JSON', (value) => {
  expect(isJson(value)).toBe(true);
});

test.each([
  ['undefined', undefined],
  ['no number', NaN],
  ['infinity', Infinity],
  ['a bigint', 1n],
  ['a symbol', Symbol('a')],
  ['a function', () => 1],
  ['a date', new Date(0)],
  ['an object of a class', new Point()],
  ['a list with one of these', [1, undefined]],
  ['an object with one of these', { a: { b: NaN } }],
])('%s -> no JSON', (_, value) => {
  expect(isJson(value)).toBe(false);
});

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, '1', false],
  [null, null, true],
  [null, {}, false],
  [[], {}, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [[[1]], [[2]], false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [{ a: { b: [1] } }, { a: { b: [1] } }, true],
  [withoutPrototype, { a: 1 }, true],
])('%j and %j -> the same: %s', (a, b, same) => {
  expect(isSameJson(a, b)).toBe(same);
});

test.each<[string, unknown, boolean]>([
  ['an object', {}, true],
  ['one without a prototype', withoutPrototype, true],
  ['a list', [], false],
  ['null', null, false],
  ['a text', 'a', false],
  ['an object of a class', new Point(), false],
])('%s -> a record: %s', (_, value, is) => {
  expect(isRecord(value)).toBe(is);
});
