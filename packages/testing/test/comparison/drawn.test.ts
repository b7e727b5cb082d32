import { expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { drawn } from './drawn.ts';
import { randomSequences } from './random-requests.ts';

const seed = randomInt(2 ** 31);

test(`sequence drawn at an index -> its path draws it again, seed ${seed}`, async () => {
  const arbitrary = randomSequences(5);
  const sequences = drawn(arbitrary, { seed, numRuns: 30 });
  expect(sequences).toHaveLength(30);
  for (const index of [0, 9, 29]) {
    // Sequences hold functions, which are made anew with each.
    const replayed: string[] = [];
    const property = fc.asyncProperty(arbitrary, async (sequence) => {
      replayed.push(JSON.stringify(sequence));
      await Promise.resolve();
    });
    await fc.assert(property, { seed, path: String(index), numRuns: 1 });
    expect(replayed).toStrictEqual([JSON.stringify(sequences[index])]);
  }
});
