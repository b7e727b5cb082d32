import { expect, test } from '@jest/globals';
import { createClaimsTogether } from '../src/claims-together.ts';

test('looks at 4 claims are in vain twice, and then one is in time -> as many as ever share a look', () => {
  const together = createClaimsTogether();
  together.wasInVain('web', 4);
  together.wasInVain('web', 4);
  expect(together.most('web')).toBe(64);
  together.wasInTime('web');
  together.wasInVain('web', 4);
  together.wasInVain('web', 4);
  expect(together.most('web')).toBe(64);
});

test('looks at all claims are in vain -> from the third on half as many share the next, down to one, and those of another workload as many as ever', () => {
  const together = createClaimsTogether();
  const sizes: number[] = [];
  for (let times = 0; times < 7; times++) {
    together.wasInVain('web', Math.min(together.most('web'), 20));
    sizes.push(together.most('web'));
  }
  expect(sizes).toEqual([64, 64, 10, 5, 3, 2, 1]);
  expect(together.most('db')).toBe(64);
});

test('fewer claims share a look, which is in time -> one more shares each further one, and half as many after one in vain', () => {
  const together = createClaimsTogether();
  for (let times = 0; times < 3; times++) {
    together.wasInVain('web', 20);
  }
  together.wasInTime('web');
  together.wasInTime('web');
  expect(together.most('web')).toBe(12);
  together.wasInVain('web', 12);
  expect(together.most('web')).toBe(6);
});

test('looks at the claims of 1,001 workloads are in vain -> the first of these is forgotten', () => {
  const together = createClaimsTogether();
  for (let times = 0; times < 3; times++) {
    together.wasInVain('first', 20);
  }
  for (let other = 0; other < 999; other++) {
    together.wasInVain(`other-${String(other)}`, 20);
  }
  expect(together.most('first')).toBe(10);
  together.wasInVain('last', 20);
  expect(together.most('first')).toBe(64);
});
