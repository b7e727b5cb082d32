import { expect, test } from '@jest/globals';
import { formatIndexes, freeIndexes, parseIndexes } from '../../../src/controllers/job/indexes.ts';

test.each([
  [undefined, []],
  ['', []],
  ['0', [0]],
  ['1,3-5,7', [1, 3, 4, 5, 7]],
  ['8-12', [8, 9]],
  ['12', []],
  ['x,2,3-y', [2]],
])('list %j of a job with 10 completions -> indexes %j', (list, indexes) => {
  expect([...parseIndexes(list, 10)]).toEqual(indexes);
});

test.each([
  [[], ''],
  [[4], '4'],
  [[10, 9], '9,10'],
  [[5, 3, 4, 0], '0,3-5'],
  [[1, 2, 4, 5, 6, 8], '1,2,4-6,8'],
])('indexes %j -> list %j', (indexes, list) => {
  expect(formatIndexes(new Set(indexes))).toBe(list);
});

test('some indexes are taken -> the lowest others, no more than asked for and below the completions', () => {
  const taken = new Set([0, 2]);
  expect(freeIndexes(taken, 6, 2)).toEqual([1, 3]);
  expect(freeIndexes(taken, 4, 9)).toEqual([1, 3]);
  expect(freeIndexes(taken, 4, -1)).toStrictEqual([]);
});
