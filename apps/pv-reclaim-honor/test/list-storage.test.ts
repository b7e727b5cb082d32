import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { VolumePage } from '../src/csi/csi-connection.ts';
import { CsiError } from '../src/csi/csi-error.ts';
import { listLimits, listStorage } from '../src/leak-report/list-storage.ts';

const aborted = (): CsiError => new CsiError('ListVolumes', 'ABORTED', 'stale', false);

/** Lists what a driver answers to each token, and counts what that takes. */
async function list(answer: (token: string, asked: number) => VolumePage, takes = 0) {
  const clock = createFakeClock();
  const seen: string[] = [];
  let asked = 0;
  const problem = await listStorage(
    async (_maxEntries, token) => {
      asked += 1;
      await clock.advance(takes);
      return answer(token, asked);
    },
    (handle) => seen.push(handle),
    clock,
    { ...listLimits, pages: 100, entries: 1_000 },
  );
  return { problem, seen, asked };
}

test('pages -> all of their volumes, whole', async () => {
  const { problem, seen } = await list((token) =>
    token === '2' ? { handles: ['c'], nextToken: '' } : { handles: ['a', 'b'], nextToken: '2' },
  );
  expect(problem).toBeUndefined();
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('a token that is no longer good -> begins anew, whole', async () => {
  const { problem, seen } = await list((token, asked) => {
    if (asked === 2) {
      throw aborted();
    }
    return token === '' ? { handles: ['a'], nextToken: '1' } : { handles: ['b'], nextToken: '' };
  });
  expect(problem).toBeUndefined();
  expect(seen).toEqual(['a', 'a', 'b']);
});

test('tokens that are never good -> given up', async () => {
  const { problem, asked } = await list((token) => {
    if (token !== '') {
      throw aborted();
    }
    return { handles: ['a'], nextToken: '1' };
  });
  expect(problem).toMatch(/no longer good/);
  expect(asked).toBeLessThan(10);
});

test('the first page aborted -> the error of the driver', async () => {
  await expect(
    list(() => {
      throw aborted();
    }),
  ).rejects.toThrow('stale');
});

test.each([1, 2, 7])('tokens in a circle of %d -> given up, not whole', async (circle) => {
  const { problem, asked } = await list((_token, at) => ({
    handles: [],
    nextToken: `t${String(at % circle)}`,
  }));
  expect(problem).toMatch(/second time/);
  expect(asked).toBeLessThan(30);
});

test.each<{
  name: string;
  answer: (token: string, asked: number) => VolumePage;
  takes?: number;
  why: RegExp;
}>([
  {
    name: 'endless tokens',
    answer: (_token, asked) => ({ handles: [], nextToken: `t${String(asked)}` }),
    why: /more than 100 pages/,
  },
  {
    name: 'more entries than there can be',
    answer: (_token, asked) => ({
      handles: Array.from({ length: 600 }, (_, at) => `v${String(at)}`),
      nextToken: `t${String(asked)}`,
    }),
    why: /more than 1000 volumes/,
  },
  {
    name: 'slow pages without end',
    answer: (_token, asked) => ({ handles: [], nextToken: `t${String(asked)}` }),
    takes: 10_000,
    why: /more than 300 s/,
  },
])('$name -> given up, not whole', async ({ answer, takes, why }) => {
  const { problem, asked, seen } = await list(answer, takes);
  expect(problem).toMatch(why);
  expect(asked).toBeLessThanOrEqual(100);
  expect(seen.length).toBeLessThanOrEqual(1_000);
});
