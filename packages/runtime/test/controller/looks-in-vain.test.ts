import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLooksInVain } from '../../src/controller/looks-in-vain.ts';
import { createKeptLog } from '../../src/testing/kept-log.ts';

function open() {
  const clock = createFakeClock();
  const { logger, lines } = createKeptLog('test', 'info');
  const looks = createLooksInVain('sites', { clock, logger });
  const again = (key: string, times: number): void => {
    for (let time = 0; time < times; time++) {
      looks.again(key, `${key} waits`);
    }
  };
  return { clock, lines, looks, again };
}

test('15 looks in a row -> nothing is said; the 16th -> the key, and why', () => {
  const { lines, again } = open();
  again('a', 15);
  expect(lines).toStrictEqual([]);
  again('a', 1);
  expect(lines).toMatchObject([
    { level: 'warn', controller: 'sites', keys: 1, longest: [{ key: 'a', looks: 16, reason: 'a waits' }] },
  ]);
});

test('a cause that keys share -> the first line has those that are not far behind, too', () => {
  const { lines, again } = open();
  again('behind', 8);
  again('other', 7);
  again('first', 16);
  expect(lines).toMatchObject([{ keys: 2, longest: [{ key: 'first' }, { key: 'behind' }] }]);
});

test('another result in between -> the row begins anew', () => {
  const { lines, looks, again } = open();
  again('a', 15);
  looks.over('a');
  again('a', 15);
  expect(lines).toStrictEqual([]);
});

test('1,000 keys -> one line in eight minutes, with their number and the ten that wait longest', async () => {
  const { clock, lines, again } = open();
  const keys = Array.from({ length: 1_000 }, (_, at) => `key-${String(at)}`);
  keys.forEach((key) => again(key, 16));
  again('few', 1);
  expect(lines).toHaveLength(1);
  await clock.advance(479_999);
  keys.slice(-10).forEach((key) => again(key, 1));
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  again('few', 1);
  expect(lines).toHaveLength(1);
  again('key-0', 1);
  expect(lines).toHaveLength(2);
  const { keys: count, longest } = lines[1] as unknown as {
    readonly keys: number;
    readonly longest: readonly { readonly key: string }[];
  };
  expect(count).toBe(1_000);
  expect(new Set(longest.map(({ key }) => key))).toEqual(new Set(['key-0', ...keys.slice(-10).slice(0, 9)]));
});
