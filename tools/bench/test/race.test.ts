import { describe, expect, test } from '@jest/globals';
import { orderOf } from '../src/race.ts';

describe('orderOf', () => {
  test('rounds after each other -> both every time, begun by the other one than before', () => {
    for (const round of [0, 1, 2, 3]) {
      expect(orderOf(round).toSorted()).toEqual(['holdfast', 'upstream']);
      expect(orderOf(round + 1)).toEqual(orderOf(round).toReversed());
    }
  });
});
