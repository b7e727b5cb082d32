import { beforeEach, describe, expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import { checkLook, LookTooOld, type Clock } from '@holdfast/runtime';
import { createLiveDefaults } from '../src/live-default.ts';
import { storageClass } from './objects.ts';

const gold = storageClass();
const silver = storageClass({ name: 'silver', annotations: {} });
const { signal } = new AbortController();

let now: number;
beforeEach(() => {
  // Long after the process began.
  now = 100_000;
});
const clock: Clock = { now: () => now, after: () => ({ cancel: () => undefined }) };

function counting(answers: readonly (readonly StorageClass[] | Error)[], took = 0) {
  let lists = 0;
  const ask = createLiveDefaults(clock, (look) => {
    // As the client does with the answer.
    look.lookedAt = now;
    now += took;
    const answer = answers[Math.min(lists, answers.length - 1)];
    lists += 1;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? []);
  })();
  return { ask, lists: () => lists };
}

describe('live default', () => {
  test('many claims of a batch -> one list', async () => {
    const { ask, lists } = counting([[silver, gold]]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gold, signal)));
    expect(new Set(answers.map(({ live }) => live.defaultClass))).toEqual(new Set([gold]));
    expect(lists()).toBe(1);
  });

  test('the cached default changed -> another list', async () => {
    const { ask, lists } = counting([[gold], []]);
    await ask(gold, signal);
    const changed = storageClass({ resourceVersion: '4' });
    expect((await ask(changed, signal)).live).toEqual({ askedUnder: changed, defaultClass: undefined });
    expect(lists()).toBe(2);
  });

  test('A0: the answer is more than a second old -> another list', async () => {
    const { ask, lists } = counting([[gold], []]);
    await ask(gold, signal);
    now += 1_000;
    await ask(gold, signal);
    expect(lists()).toBe(1);
    now += 1;
    expect((await ask(gold, signal)).live.defaultClass).toBeUndefined();
    expect(lists()).toBe(2);
  });

  test('the list fails -> who asked hears of it, the next asks again', async () => {
    const { ask, lists } = counting([new Error('away'), [gold]]);
    await expect(Promise.all([ask(gold, signal), ask(gold, signal)])).rejects.toThrow('away');
    expect((await ask(gold, signal)).live.defaultClass).toBe(gold);
    expect(lists()).toBe(2);
  });

  test('A0: the list takes longer than a look is good for -> the next look is good for longer', async () => {
    const { ask, lists } = counting([[gold]], 10_000);
    const first = await ask(gold, signal);
    expect(() => checkLook(first.look, now)).toThrow(LookTooOld);
    const second = await ask(gold, signal);
    expect(() => checkLook(second.look, now)).not.toThrow();
    expect(lists()).toBe(2);
  });

  test('A0: the list took ten seconds -> its look is good for two, and the next for twenty', async () => {
    const { ask } = counting([[gold]], 10_000);
    expect((await ask(gold, signal)).look.maxAge).toBe(2_000);
    expect((await ask(gold, signal)).look.maxAge).toBe(20_000);
  });

  test('the list fails after another was begun for a cached default that changed -> the other serves its claims still', async () => {
    const lists: PromiseWithResolvers<readonly StorageClass[]>[] = [];
    const ask = createLiveDefaults(clock, () => {
      const list = Promise.withResolvers<readonly StorageClass[]>();
      lists.push(list);
      return list.promise;
    })();
    const changed = storageClass({ resourceVersion: '4' });
    const [first, second] = [ask(gold, signal), ask(changed, signal)];
    lists[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    lists[1]?.resolve([changed]);
    await second;
    expect((await ask(changed, signal)).live.defaultClass).toBe(changed);
    expect(lists).toHaveLength(2);
  });

  test('A0: the process was frozen for an hour within a list -> the next look is good for 128 s, and no longer', async () => {
    const { ask } = counting([[gold]], 3_600_000);
    await ask(gold, signal);
    expect((await ask(gold, signal)).look.maxAge).toBe(128_000);
  });
});
