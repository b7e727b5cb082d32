import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { eventually } from '../src/eventually.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** When it looked, in milliseconds from the start, while the condition did not hold. */
async function looksUntil(end: number, longestPause?: number): Promise<readonly number[]> {
  const started = performance.now();
  const looks: number[] = [];
  let holds = false;
  const waiting = eventually(
    'the end has come',
    () => {
      looks.push(performance.now() - started);
      return holds;
    },
    20_000,
    longestPause,
  );
  await jest.advanceTimersByTimeAsync(end);
  holds = true;
  await jest.advanceTimersByTimeAsync(250);
  await waiting;
  return looks;
}

const longestGap = (looks: readonly number[]): number =>
  Math.max(...looks.slice(1).map((look, index) => look - (looks[index] ?? 0)));

test('condition comes within a tenth of a second -> never 21 ms without a look', async () => {
  const looks = await looksUntil(100);
  expect(longestGap(looks)).toBeLessThanOrEqual(21);
});

test('condition takes 15 s -> looked for a hundred times and not a thousand, at least each fifth of a second', async () => {
  const looks = await looksUntil(15_000);
  expect(looks.length).toBeLessThan(130);
  expect(longestGap(looks)).toBeLessThanOrEqual(201);
});

test('longest pause given -> kept to, however long it takes', async () => {
  expect(longestGap(await looksUntil(5_000, 4))).toBeLessThanOrEqual(5);
});

test('condition never holds -> throws after the limit, naming it', async () => {
  const failed = expect(eventually('pigs fly', () => false, 3_000)).rejects.toThrow(
    'waited 3 s in vain until pigs fly',
  );
  await jest.advanceTimersByTimeAsync(3_500);
  await failed;
});
