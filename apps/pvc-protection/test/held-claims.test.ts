import { expect, test } from '@jest/globals';
import { objectKey } from '@holdfast/core';
import { createHeldClaims } from '../src/held-claims.ts';
import { claim } from './objects.ts';

const data = claim({ name: 'data', namespace: 'a' });
const key = objectKey(data);

function stage() {
  let now = 0;
  const held = createHeldClaims({ now: () => now, after: () => ({ cancel: () => undefined }) });
  return { held, advance: (by: number) => (now += by) };
}

test('same pods, other order -> news once', () => {
  const { held } = stage();
  expect(held.postponed(key, data, 'InUse', ['web-0', 'web-1'])).toBe(true);
  expect(held.postponed(key, data, 'InUse', ['web-1', 'web-0'])).toBe(false);
});

test('other pods -> news again', () => {
  const { held } = stage();
  held.postponed(key, data, 'InUse', ['web-0', 'web-1']);
  expect(held.postponed(key, data, 'InUse', ['web-1'])).toBe(true);
});

test('same pods, other reason -> news again', () => {
  const { held } = stage();
  held.postponed(key, data, 'InUse', ['web-0']);
  expect(held.postponed(key, data, 'StillAttached', ['web-0'])).toBe(true);
});

test('another claim of the name -> news again, and nothing of the first is kept', () => {
  const { held } = stage();
  const next = claim({ name: 'data', namespace: 'a', uid: 'another' });
  held.postponed(key, data, 'InUse', ['web-0']);
  held.userGone(key);
  expect(held.postponed(key, next, 'InUse', ['web-0'])).toBe(true);
  expect(held.find(key, data)).toBeUndefined();
  expect(held.find(key, next)).toMatchObject({ userGoneAt: undefined });
});

test('last user gone -> known since when', () => {
  const { held, advance } = stage();
  held.postponed(key, data, 'InUse', ['web-0']);
  advance(300);
  held.userGone(key);
  advance(50);
  expect(held.find(key, data)).toMatchObject({ userGoneAt: 300 });
});

test('a user gone but another still holds the claim -> the last one is not gone', () => {
  const { held } = stage();
  held.postponed(key, data, 'InUse', ['web-0', 'web-1']);
  held.userGone(key);
  held.postponed(key, data, 'InUse', ['web-1']);
  expect(held.find(key, data)).toMatchObject({ userGoneAt: undefined });
});

test('claim that was never held -> nothing is known, nothing is kept', () => {
  const { held } = stage();
  held.userGone(key);
  expect(held.find(key, data)).toBeUndefined();
  expect(held.byNamespace()).toEqual(new Map());
});

test('held claims are counted by namespace, forgotten ones are not, nor by the name of another', () => {
  const { held } = stage();
  const other = claim({ name: 'logs', namespace: 'a' });
  const elsewhere = claim({ name: 'data', namespace: 'b' });
  for (const each of [data, other, elsewhere]) {
    held.postponed(objectKey(each), each, 'InUse', ['web-0']);
  }
  expect(held.byNamespace().get('a')).toBe(2);
  held.forget(objectKey(other), other);
  held.forget(key, claim({ name: 'data', namespace: 'a', uid: 'another' }));
  expect(held.byNamespace()).toEqual(
    new Map([
      ['a', 1],
      ['b', 1],
    ]),
  );
});
