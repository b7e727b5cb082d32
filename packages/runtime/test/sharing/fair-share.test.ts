import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFairShare } from '../../src/sharing/fair-share.ts';

/** Takes places for the group until it may have no more; how many it got. */
function takeAll(share: ReturnType<typeof createFairShare>, group: string): number {
  let taken = 0;
  while (share.mayTake(group)) {
    share.take(group);
    taken += 1;
  }
  return taken;
}

describe('groups that give nothing back, one after the other', () => {
  test.each([
    { places: 1, taken: [1, 0] },
    { places: 2, taken: [1, 1, 0] },
    { places: 3, taken: [2, 1, 0] },
    { places: 10, taken: [5, 3, 1, 1, 0] },
    { places: 20, taken: [10, 5, 3, 1, 1, 0] },
    { places: 64, taken: [32, 16, 8, 4, 2, 1, 1, 0] },
  ])('$places places -> they get $taken', ({ places, taken }) => {
    const share = createFairShare(places);
    expect(taken.map((_, group) => takeAll(share, `group-${String(group)}`))).toEqual(taken);
  });
});

test('group gives a place back -> another may have it', () => {
  const share = createFairShare(2);
  takeAll(share, 'a');
  takeAll(share, 'b');
  expect(share.mayTake('c')).toBe(false);
  share.giveBack('a');
  expect(share.mayTake('c')).toBe(true);
  share.take('c');
  expect(share.mayTake('a')).toBe(false);
});

test('all give back what they have -> a group that is alone gets half again', () => {
  const share = createFairShare(20);
  for (const group of ['a', 'b', 'c']) {
    for (let left = takeAll(share, group); left > 0; left--) {
      share.giveBack(group);
    }
  }
  expect(takeAll(share, 'd')).toBe(10);
});

test('any course of events -> never more than the places, never more than half for one group, a new group gets one of the free', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd'), gives: fc.boolean() }), {
        maxLength: 100,
        size: 'max',
      }),
      (places, steps) => {
        const share = createFairShare(places);
        const taken = new Map<string, number>();
        for (const { group, gives } of steps) {
          const has = taken.get(group) ?? 0;
          if (gives && has > 0) {
            share.giveBack(group);
            taken.set(group, has - 1);
          } else if (!gives && share.mayTake(group)) {
            share.take(group);
            taken.set(group, has + 1);
          }
          const all = [...taken.values()].reduce((sum, each) => sum + each, 0);
          expect(all).toBeLessThanOrEqual(places);
          expect(Math.max(0, ...taken.values())).toBeLessThanOrEqual(Math.ceil(places / 2));
          expect(share.mayTake('new')).toBe(all < places);
        }
      },
    ),
  );
});
