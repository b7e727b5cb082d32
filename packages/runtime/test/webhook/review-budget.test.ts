import { expect, test } from '@jest/globals';
import { createReviewBudgets } from '../../src/webhook/review-budget.ts';

const mebibyte = 1024 * 1024;

test('a body has no room even if others gave way -> it is refused, and none of them does', () => {
  const budget = createReviewBudgets()();
  const begin = (bytes: number, giveWay: () => void = () => undefined) => {
    const share = budget.begin(giveWay);
    expect(share?.take(bytes)).toBe(true);
    return share;
  };
  const decided = Array.from({ length: 9 }, () => begin(7 * mebibyte));
  decided.forEach((share) => share?.whole());
  let gaveWay = 0;
  Array.from({ length: 20 }, () => begin(1_000, () => (gaveWay += 1)));
  expect(budget.begin(() => undefined)?.take(2 * mebibyte)).toBe(false);
  expect(gaveWay).toBe(0);

  decided.forEach((share) => share?.end());
  begin(63 * mebibyte);
  expect(gaveWay).toBe(0);
  begin(mebibyte);
  expect(gaveWay).toBe(20);
});
