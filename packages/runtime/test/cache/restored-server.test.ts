import { afterEach, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { runReflector } from '../../src/cache/reflector.ts';
import type { List, ListOptions } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { claim } from '../claim.ts';
import { createScriptedClient, gone } from './scripted-client.ts';

/*
 * An API server whose data were restored from a backup answers a watch from a version that it has yet to reach with
 * silence.
 */

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const broken = new Error('other side closed');

/** A reflector that has seen version 9, and whose watch then breaks. */
async function openBroken() {
  const clock = createFakeClock();
  const client = createScriptedClient();
  const applied: string[] = [];
  const stop = new AbortController();
  let relist = (): void => undefined;
  const running = runReflector(
    {
      client,
      resource: persistentVolumeClaims,
      clock,
      onRelist: (how) => {
        relist = how;
      },
      random: () => 0,
      sink: {
        replace: (objects, isRestored) =>
          applied.push(
            [
              isRestored ? 'replace restored' : 'replace',
              ...objects.map(({ metadata }) => metadata.name),
            ].join(' '),
          ),
        leaveOut: (key) => applied.push(`out ${key}`),
        apply: ({ type, object }) => applied.push(`${type} ${object.metadata.name}`),
      },
      observer: {
        listed: () => undefined,
        watchStarted: () => undefined,
        heard: () => undefined,
        skipped: () => undefined,
        failed: () => undefined,
      },
    },
    stop.signal,
  );
  stops.push(() => {
    stop.abort(new Error('test is over'));
    return running;
  });
  client.answerList([{ version: '7', items: [claim('a', 3)] }]);
  await settled();
  client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 9) });
  client.lastWatch().fail(broken);
  await settled();
  return {
    client,
    clock,
    applied,
    /** Somebody else has found that the data were restored. */
    relist: async () => {
      relist();
      await settled();
    },
    goOn: async () => {
      await clock.advance(1_600);
      await settled();
    },
  };
}

test('P8: server is back with an older version -> listed anew, and watched from there', async () => {
  const { client, applied, goOn } = await openBroken();
  client.setNewestVersion('8');
  client.answerList([{ version: '8', items: [claim('a', 5)] }]);
  await goOn();
  expect(applied).toEqual(['replace a', 'MODIFIED a', 'replace restored a']);
  expect(client.lastWatch().options.resourceVersion).toBe('8');
});

test.each(['9', '10'])('server is back with version %s -> taken up where it was', async (version) => {
  const { client, applied, goOn } = await openBroken();
  client.setNewestVersion(version);
  await goOn();
  expect(applied).toEqual(['replace a', 'MODIFIED a']);
  expect(client.lists).toHaveLength(1);
  expect(client.lastWatch().options.resourceVersion).toBe('9');
});

test('P8: server is not back yet when it is asked -> asked again until it is', async () => {
  const { client, applied, goOn } = await openBroken();
  const { list } = client;
  client.list = () => Promise.reject(new ApiError('GET /', 503, { reason: 'ServiceUnavailable' }));
  await goOn();
  expect(client.watches).toHaveLength(1);
  client.list = list;
  client.setNewestVersion('8');
  client.answerList([{ version: '8', items: [] }]);
  await goOn();
  expect(applied).toEqual(['replace a', 'MODIFIED a', 'replace restored']);
});

const busy = new ApiError('GET /', 429, { reason: 'TooManyRequests' });

test.each([
  { what: 'is too busy to list', list: () => Promise.reject(busy) },
  { what: 'does not answer the list', list: hangs },
])('server $what -> watched from where it was after five seconds', async ({ list }) => {
  const { client, clock, applied, goOn } = await openBroken();
  client.list = list;
  await goOn();
  await clock.advance(5_000);
  expect(client.lastWatch().options.resourceVersion).toBe('9');
  client.lastWatch().send({ type: 'ADDED', object: claim('b', 10) });
  expect(applied.at(-1)).toBe('ADDED b');
  await clock.advance(35_000);
  client.lastWatch().end();
  await settled();
  expect(client.watches).toHaveLength(3);
});

/** A list that is answered when the test says so. */
function heldList() {
  const asked: ListOptions[] = [];
  const answers: ((version: string) => void)[] = [];
  return {
    asked,
    list: (_resource: unknown, options: ListOptions = {}) => {
      asked.push(options);
      return new Promise<List<never>>((resolve, reject) => {
        answers.push((resourceVersion) => resolve({ metadata: { resourceVersion }, items: [] }));
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
      });
    },
    answer: (version: string) => answers.pop()?.(version),
  };
}

test('P8: answer takes longer than the watch waits for it -> listed anew as restored, once it is there', async () => {
  const { client, clock, applied, goOn } = await openBroken();
  const held = heldList();
  client.list = held.list;
  await goOn();
  await clock.advance(5_000);
  client.lastWatch().send({ type: 'ADDED', object: claim('b', 10) });
  held.answer('8');
  client.answerList([{ version: '11', items: [claim('b', 10)] }]);
  await settled();
  expect(held.asked).toHaveLength(1);
  expect(applied.at(-1)).toBe('replace restored b');
  expect(client.lastWatch().options.resourceVersion).toBe('11');
});

test('P8: server is too busy to list while a watch goes on -> asked again every ten seconds', async () => {
  const { client, clock, applied, goOn } = await openBroken();
  const { list } = client;
  client.list = () => Promise.reject(busy);
  await goOn();
  await clock.advance(15_000);
  client.list = list;
  client.setNewestVersion('8');
  client.answerList([{ version: '8', items: [] }]);
  expect(applied.at(-1)).toBe('MODIFIED a');
  await clock.advance(10_000);
  await settled();
  expect(applied.at(-1)).toBe('replace restored');
});

test('server answers late that it has a newer version -> the watch goes on, and the next one asks nothing', async () => {
  const { client, clock, goOn } = await openBroken();
  const held = heldList();
  client.list = held.list;
  await goOn();
  await clock.advance(5_000);
  held.answer('9');
  await clock.advance(35_000);
  client.lastWatch().end();
  await settled();
  await clock.advance(35_000);
  client.lastWatch().end();
  await settled();
  expect(client.watches).toHaveLength(4);
  expect(held.asked).toHaveLength(1);
  expect(client.lists).toHaveLength(1);
});

test('P8: watch breaks again before the server has answered -> that answer is no proof, and it is asked again', async () => {
  const { client, clock, applied, goOn } = await openBroken();
  const held = heldList();
  client.list = held.list;
  await goOn();
  await clock.advance(5_000);
  client.lastWatch().fail(broken);
  await goOn();
  expect(client.watches).toHaveLength(3);
  held.answer('9');
  await settled();
  expect(held.asked).toHaveLength(2);
  client.answerList([{ version: '8', items: [] }]);
  held.answer('8');
  await settled();
  expect(applied.at(-1)).toBe('replace restored');
});

test('P8: watch breaks again after the server has answered -> asked again', async () => {
  const { client, clock, applied, goOn } = await openBroken();
  const held = heldList();
  client.list = held.list;
  await goOn();
  await clock.advance(5_000);
  held.answer('9');
  await settled();
  client.lastWatch().fail(broken);
  await goOn();
  expect(held.asked).toHaveLength(2);
  client.answerList([{ version: '8', items: [] }]);
  held.answer('8');
  await settled();
  expect(applied.at(-1)).toBe('replace restored');
});

test('reflector is stopped while the question goes on beside the watch -> the list is ended', async () => {
  const { client, clock, goOn } = await openBroken();
  const held = heldList();
  client.list = held.list;
  await goOn();
  await clock.advance(5_000);
  await stops.pop()?.();
  expect(held.asked.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

function hangs(_resource: unknown, { signal }: ListOptions = {}): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

test('list after the version was gone, of an older version -> known to be restored', async () => {
  const { client, applied, goOn } = await openBroken();
  await goOn();
  client.lastWatch().fail(gone());
  client.answerList([{ version: '8', items: [claim('a', 8)] }]);
  await goOn();
  expect(applied.at(-1)).toBe('replace restored a');
});

test('list after the version was gone, of a newer version -> a list like any other', async () => {
  const { client, applied, goOn } = await openBroken();
  await goOn();
  client.lastWatch().fail(gone());
  client.answerList([{ version: '12', items: [claim('a', 12)] }]);
  await goOn();
  expect(applied.at(-1)).toBe('replace a');
});

test('server ends the watch before its time, in the normal way, and is back with an older version -> listed anew', async () => {
  const { client, clock, applied, goOn } = await openBroken();
  await goOn();
  client.setNewestVersion('8');
  client.answerList([{ version: '8', items: [claim('a', 5)] }]);
  await clock.advance(20_000);
  client.lastWatch().end();
  await goOn();
  expect(applied.at(-1)).toBe('replace restored a');
  expect(client.lastWatch().options.resourceVersion).toBe('8');
});

test('watch ends as it should -> the server is not asked', async () => {
  const { client, clock, goOn } = await openBroken();
  await goOn();
  client.setNewestVersion('1');
  client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 11) });
  await clock.advance(35_000);
  client.lastWatch().end();
  await goOn();
  expect(client.lists).toHaveLength(1);
  expect(client.lastWatch().options.resourceVersion).toBe('11');
});

test('P8: told that the data were restored, while it watches -> listed anew as restored, and watched from there', async () => {
  const { client, applied, goOn, relist } = await openBroken();
  await goOn();
  expect(client.lastWatch().options.resourceVersion).toBe('9');
  client.answerList([{ version: '12', items: [claim('a', 5)] }]);
  await relist();
  expect(applied).toEqual(['replace a', 'MODIFIED a', 'replace restored a']);
  expect(client.lastWatch().options.resourceVersion).toBe('12');
  client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 13) });
  client.lastWatch().end();
  await settled();
  expect(applied.at(-1)).toBe('MODIFIED a');
});

test('P8: told while it waits after a failure -> listed anew without delay', async () => {
  const { client, applied, relist } = await openBroken();
  client.answerList([{ version: '12', items: [claim('a', 5)] }]);
  await relist();
  expect(applied.at(-1)).toBe('replace restored a');
});

test('P8: told while a list is on its way, which might take longer than until the next time -> it is applied, and everything listed once more', async () => {
  const { client, applied, relist } = await openBroken();
  await relist();
  await relist();
  expect(client.lists.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  client.answerList([{ version: '12', items: [claim('a', 5)] }]);
  await settled();
  expect(applied).toEqual(['replace a', 'MODIFIED a', 'replace restored a']);
  client.answerList([{ version: '13', items: [claim('a', 6)] }]);
  await settled();
  expect(applied.slice(3)).toEqual(['replace restored a']);
  expect(client.lastWatch().options.resourceVersion).toBe('13');
});

test('P8: told again while it waits after a list that failed -> listed anew without delay', async () => {
  const { client, applied, relist } = await openBroken();
  client.answerList([broken]);
  client.answerList([{ version: '12', items: [claim('a', 5)] }]);
  await relist();
  expect(applied).toHaveLength(2);
  await relist();
  expect(applied.at(-1)).toBe('replace restored a');
});

test('P8: told, and the list fails -> the next one still counts as restored', async () => {
  const { client, applied, goOn, relist } = await openBroken();
  client.answerList([broken]);
  await relist();
  client.answerList([{ version: '12', items: [claim('a', 5)] }]);
  await goOn();
  expect(applied.at(-1)).toBe('replace restored a');
});
