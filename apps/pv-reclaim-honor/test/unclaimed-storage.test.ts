import { expect, test } from '@jest/globals';
import { createUnclaimedStorage, type UnclaimedReport } from '../src/leak-report/unclaimed-storage.ts';

const hour = 3_600_000;

function open() {
  const memory = createUnclaimedStorage();
  /** @param named those that a PersistentVolume names. */
  return (
    now: number,
    handles: readonly string[],
    { named = [], isWhole = true }: { readonly named?: readonly string[]; readonly isWhole?: boolean } = {},
  ): UnclaimedReport => {
    memory.begin();
    handles.forEach((handle) => memory.listed(handle, named.includes(handle), now));
    return memory.end(isWhole, now);
  };
}

test('named by none for an hour -> reported once, counted as long as it is there', () => {
  const list = open();
  expect(list(0, ['a'])).toEqual({ news: [], count: 0, hasMore: false });
  expect(list(hour - 1, ['a'])).toMatchObject({ news: [], count: 0 });
  expect(list(hour, ['a'])).toMatchObject({ news: ['a'], count: 1 });
  expect(list(2 * hour, ['a'])).toMatchObject({ news: [], count: 1 });
  expect(list(3 * hour, [])).toMatchObject({ news: [], count: 0 });
});

test('named within the hour -> its hour begins anew', () => {
  const list = open();
  list(0, ['a']);
  list(hour / 2, ['a'], { named: ['a'] });
  expect(list(hour, ['a'])).toMatchObject({ count: 0 });
  expect(list(2 * hour, ['a'])).toMatchObject({ news: ['a'] });
});

test('not in a list that is not whole -> its hour goes on', () => {
  const list = open();
  list(0, ['a']);
  expect(list(hour, [], { isWhole: false })).toMatchObject({ news: [], count: 0 });
  expect(list(hour, ['a'])).toMatchObject({ news: ['a'] });
});

test('not in a whole list -> forgotten', () => {
  const list = open();
  list(0, ['a']);
  list(hour / 2, []);
  expect(list(hour, ['a'])).toMatchObject({ news: [], count: 0 });
});

test('a million volumes, handles of a megabyte -> as many remembered as there is room for, and that is said', () => {
  const list = open();
  const many = Array.from({ length: 1_000_000 }, (_, at) => `v${String(at)}`);
  expect(list(0, many)).toMatchObject({ hasMore: true });
  expect(list(hour, many)).toMatchObject({ count: 10_000, hasMore: true });
  const other = open();
  expect(other(0, ['v'.repeat(1_000_000)])).toMatchObject({ hasMore: true });
});
