import { expect, test } from '@jest/globals';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { createSharedLookup, type Lookup } from '../../src/client/shared-lookup.ts';

type Answer = Parameters<Parameters<Lookup>[2]>;

/** Name servers that answer when the test says so. */
function start() {
  const asked: { readonly name: string; readonly answer: (...answer: Answer) => void }[] = [];
  const time = { now: 0 };
  const lookup = createSharedLookup(
    (name, _options, callback) => void asked.push({ name, answer: callback }),
    () => time.now,
  );
  const ask = (name: string, options: LookupOptions = { all: true }): Promise<Answer> =>
    new Promise((resolve) => {
      lookup(name, options, (...answer) => resolve(answer));
    });
  return { time, asked, ask };
}

const addresses: LookupAddress[] = [{ address: '10.0.0.1', family: 4 }];

test('several connections look up the name at once -> asked once, and each gets the answer', async () => {
  const { asked, ask } = start();
  const answers = [ask('api.example'), ask('api.example'), ask('api.example')];
  expect(asked.map(({ name }) => name)).toEqual(['api.example']);
  asked[0]?.answer(null, addresses);
  expect(await Promise.all(answers)).toEqual([
    [null, addresses],
    [null, addresses],
    [null, addresses],
  ]);
});

test('answered -> asked again by the next connection, for addresses change', async () => {
  const { asked, ask } = start();
  const first = ask('api.example');
  asked[0]?.answer(null, addresses);
  await first;
  const second = ask('api.example');
  asked[1]?.answer(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  expect(String((await second)[0])).toContain('no such name');
});

test('no answer comes -> asked once more by whoever comes 2.5 s later, and the first answer is that of all', async () => {
  const { time, asked, ask } = start();
  const answers = [ask('api.example')];
  time.now = 2_499;
  answers.push(ask('api.example'));
  expect(asked).toHaveLength(1);
  time.now = 2_500;
  answers.push(ask('api.example'));
  expect(asked).toHaveLength(2);
  time.now = 9_000;
  answers.push(ask('api.example'));
  expect(asked).toHaveLength(2);
  asked[1]?.answer(null, addresses);
  expect(await Promise.all(answers)).toEqual(Array.from(answers, () => [null, addresses]));
});

test('one lookup hangs for good -> whoever comes asks at once, and gets the answer', async () => {
  const { time, asked, ask } = start();
  void ask('api.example');
  time.now = 5_000;
  for (const n of [1, 2, 3]) {
    const answer = ask('api.example');
    asked[n]?.answer(null, addresses);
    expect(await answer).toEqual([null, addresses]);
  }
});

test('another name, or other options -> asked too', () => {
  const { asked, ask } = start();
  void ask('api.example');
  void ask('proxy.example');
  void ask('api.example', { all: true, family: 6 });
  void ask('api.example', {});
  expect(asked.map(({ name }) => name)).toEqual([
    'api.example',
    'proxy.example',
    'api.example',
    'api.example',
  ]);
});
