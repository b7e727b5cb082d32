import { expect, test } from '@jest/globals';
import { withSecondTry } from '../../src/strangers/second-try.ts';

function playsThatFail(times: number): () => Promise<string> {
  let tries = 0;
  return () => {
    tries++;
    return tries > times ? Promise.resolve('played') : Promise.reject(new Error(`try ${tries}\nfailed`));
  };
}

test('result at the first try -> no note', async () => {
  const notes: string[] = [];
  expect(await withSecondTry('builder', playsThatFail(0), (line) => notes.push(line))).toBe('played');
  expect(notes).toStrictEqual([]);
});

test('no result at first -> played once more, and named with the reason', async () => {
  const notes: string[] = [];
  expect(await withSecondTry('builder', playsThatFail(1), (line) => notes.push(line))).toBe('played');
  expect(notes).toEqual(['had no result at first and was played once more: builder (try 1)']);
});

test('no result twice -> what the second try throws', async () => {
  await expect(withSecondTry('builder', playsThatFail(2), () => undefined)).rejects.toThrow('try 2');
});
