import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { play } from '../src/play.ts';

// Fresh ones each time. The report of a failure says how to play the story again.
const seed = randomInt(2 ** 31);

test(`random users of the four controllers in one world, seed ${String(seed)} -> what must survive survives, what must go goes`, async () => {
  const { failure } = await play({ runs: 8, seed, limit: 60_000 });
  expect(failure).toBeUndefined();
}, 300_000);
