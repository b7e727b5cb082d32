import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eachAtOnce } from '../src/each-at-once.ts';

describe('eachAtOnce', () => {
  test('more items than are done at once -> each is done, never more than 48 together, none made before it is begun', async () => {
    let made = 0;
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    function* items(): Generator<number> {
      for (; made < 200; made++) {
        expect(made - done.length).toBeLessThanOrEqual(48);
        yield made;
      }
    }
    await eachAtOnce(items(), async (item) => {
      most = Math.max(most, (underWay += 1));
      await turn();
      underWay -= 1;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, item) => item));
    expect(most).toBe(48);
  });

  test('one fails -> its failure, when those under way have ended, and nothing more is begun', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const all = eachAtOnce(Array(200).keys(), async (item) => {
      begun.push(item);
      await turn();
      if (item === 3) {
        throw new Error('no room');
      }
      ended.push(item);
    });
    await expect(all).rejects.toThrow('no room');
    expect(begun.length).toBeLessThan(200);
    expect(ended.length).toBe(begun.length - 1);
  });

  test('no items -> nothing happens', async () => {
    await expect(eachAtOnce([], () => Promise.reject(new Error('called')))).resolves.toBeUndefined();
  });
});
