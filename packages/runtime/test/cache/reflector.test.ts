import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { runReflector, type ReflectorOptions } from '../../src/cache/reflector.ts';
import type { WatchEvent } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { claim } from '../claim.ts';
import { createScriptedClient, gone, type OpenWatch } from './scripted-client.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function start(options: Partial<ReflectorOptions<PersistentVolumeClaim>> = {}, { streams = false } = {}) {
  const clock = createFakeClock();
  const client = createScriptedClient({ streams });
  const applied: string[] = [];
  const delays: number[] = [];
  const stop = new AbortController();
  const running = runReflector(
    {
      client,
      resource: persistentVolumeClaims,
      clock,
      random: () => 0,
      sink: {
        replace: (objects) =>
          applied.push(`replace ${objects.map((object) => object.metadata.name).join(' ')}`.trim()),
        leaveOut: (key) => applied.push(`out ${key}`),
        apply: ({ type, object }) => applied.push(`${type} ${object.metadata.name}`),
      },
      observer: {
        listed: () => undefined,
        watchStarted: () => undefined,
        heard: () => undefined,
        skipped: () => undefined,
        failed: (_error, delay) => delays.push(delay),
      },
      ...options,
    },
    stop.signal,
  );
  stops.push(() => {
    stop.abort(new Error('test is over'));
    return running;
  });
  return { clock, client, applied, delays, stop, running };
}

/** A transform that cannot cope with objects of the name `odd`. */
function refuseOdd(object: PersistentVolumeClaim): PersistentVolumeClaim {
  if (object.metadata.name === 'odd') {
    throw new TypeError('odd');
  }
  return object;
}

describe.each([
  { lists: 'paged', streams: false },
  { lists: 'streamed', streams: true },
] as const)('transform that throws, $lists lists', ({ streams }) => {
  test('its object is left out, listed or watched, and holds up no other', async () => {
    const { client, applied, delays } = start({ transform: refuseOdd }, { streams });
    if (streams) {
      await settled();
      const list = client.lastWatch();
      list.send({ type: 'ADDED', object: claim('odd', 3) });
      list.send({ type: 'ADDED', object: claim('a', 4) });
      list.send({ type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: true });
    } else {
      client.answerList([{ version: '7', items: [claim('odd', 3), claim('a', 4)] }]);
    }
    await settled();
    const watch = client.lastWatch();
    watch.send({ type: 'MODIFIED', object: claim('odd', 8) });
    watch.send({ type: 'DELETED', object: claim('odd', 9) });
    watch.send({ type: 'ADDED', object: claim('b', 10) });
    expect(applied).toEqual(['replace a', 'out shop/odd', 'out shop/odd', 'ADDED b']);
    expect(delays).toStrictEqual([]);
  });
});

describe('list, then watch', () => {
  test("two pages -> one replace, then a watch from the list's version with bookmark and timeout", async () => {
    const { client, applied } = start({ random: () => 0.5 });
    client.answerList([
      { version: '7', items: [claim('a', 3)] },
      { version: '7', items: [claim('b', 5)] },
    ]);
    await settled();
    expect(applied).toEqual(['replace a b']);
    expect(client.lists).toHaveLength(1);
    expect(client.lists[0]).not.toHaveProperty('resourceVersion');
    expect(client.lastWatch().options).toMatchObject({
      resourceVersion: '7',
      timeoutSeconds: 40,
      silenceLimit: 50_000,
    });
  });

  test.each([
    [0, 35],
    [0.999999, 45],
  ])('random %d -> the watch is asked for %d seconds', async (random, seconds) => {
    const { client } = start({ random: () => random });
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    expect(client.lastWatch().options.timeoutSeconds).toBe(seconds);
  });

  test('selection -> in list and watch alike', async () => {
    const selection = { namespace: 'shop', labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };
    const { client } = start(selection);
    client.answerList([{ version: '7', items: [] }], 'shop');
    await settled();
    expect(client.lists[0]).toMatchObject(selection);
    expect(client.lastWatch().options).toMatchObject(selection);
  });

  test('events -> applied in their order', async () => {
    const { client, applied } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    const watch = client.lastWatch();
    watch.send({ type: 'ADDED', object: claim('a', 8) });
    watch.send({ type: 'MODIFIED', object: claim('a', 9) });
    watch.send({ type: 'BOOKMARK', resourceVersion: '12' });
    watch.send({ type: 'DELETED', object: claim('a', 13) });
    expect(applied).toEqual(['replace', 'ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  test('transform -> applied to what is listed and watched', async () => {
    const { client, applied } = start({
      transform: ({ metadata }) => ({ metadata: { ...metadata, name: `${metadata.name}!` } }),
    });
    client.answerList([{ version: '7', items: [claim('a', 3)] }]);
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('b', 8) });
    expect(applied).toEqual(['replace a!', 'ADDED b!']);
  });
});

describe('server streams its lists', () => {
  const streamed = (options: Partial<ReflectorOptions<PersistentVolumeClaim>> = {}) =>
    start(options, { streams: true });
  const end = (version: string) =>
    ({ type: 'BOOKMARK', resourceVersion: version, initialEventsEnd: true }) as const;

  test('all that is there, then its end -> one replace, then a watch from its version', async () => {
    const { client, applied } = streamed();
    await settled();
    const list = client.lastWatch();
    expect(list.options).toMatchObject({ sendInitialEvents: true, silenceLimit: 10_000 });
    expect(list.options).not.toHaveProperty('resourceVersion');
    list.send({ type: 'ADDED', object: claim('a', 3) });
    list.send({ type: 'ADDED', object: claim('b', 5) });
    list.send({ type: 'BOOKMARK', resourceVersion: '6' });
    expect(applied).toStrictEqual([]);
    list.send(end('7'));
    expect(list.isEnded).toBe(true);
    await settled();
    expect(applied).toEqual(['replace a b']);
    expect(client.lists).toStrictEqual([]);
    expect(client.watches).toHaveLength(2);
    expect(client.lastWatch().options).toMatchObject({ resourceVersion: '7' });
    expect(client.lastWatch().options).not.toHaveProperty('sendInitialEvents');
  });

  test('changes before its end -> in the replace; what comes after it waits for the watch', async () => {
    const { client, applied } = streamed();
    await settled();
    const list = client.lastWatch();
    list.send({ type: 'ADDED', object: claim('a', 3) });
    list.send({ type: 'ADDED', object: claim('b', 5) });
    list.send({ type: 'MODIFIED', object: claim('b', 6) });
    list.send({ type: 'DELETED', object: claim('a', 7) });
    list.send({ type: 'ADDED', object: claim('c', 8) });
    list.send(end('8'));
    list.send({ type: 'ADDED', object: claim('d', 9) });
    await settled();
    expect(applied).toEqual(['replace b c']);
    expect(client.lastWatch().options.resourceVersion).toBe('8');
  });

  test('transform -> applied to what is streamed', async () => {
    const { client, applied } = streamed({
      transform: ({ metadata }) => ({ metadata: { ...metadata, name: `${metadata.name}!` } }),
    });
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 3) });
    client.lastWatch().send(end('7'));
    await settled();
    expect(applied).toEqual(['replace a!']);
  });

  test('watch later fails as too old -> streamed anew', async () => {
    const { client, clock, applied } = streamed();
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 3) });
    client.lastWatch().send(end('7'));
    await settled();
    client.lastWatch().fail(gone());
    await clock.advance(0);
    expect(client.lastWatch().options).toMatchObject({ sendInitialEvents: true });
    client.lastWatch().send(end('30'));
    await settled();
    expect(applied).toEqual(['replace a', 'replace']);
  });

  test.each<{ what: string; stop: (list: OpenWatch) => void }>([
    { what: 'breaks', stop: (list) => list.fail(new Error('reset')) },
    { what: 'is answered 500', stop: (list) => list.fail(new ApiError('GET /watch', 500, {})) },
    { what: 'ends before its time', stop: (list) => list.end() },
  ])('$what within -> nothing replaced, then pages; the next time streamed again', async ({ stop }) => {
    const { client, clock, applied, delays } = streamed();
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 3) });
    stop(client.lastWatch());
    await settled();
    expect(applied).toStrictEqual([]);
    client.answerList([{ version: '9', items: [claim('b', 9)] }]);
    await clock.advance(800);
    expect(delays).toEqual([800]);
    expect(applied).toEqual(['replace b']);
    client.lastWatch().fail(gone());
    await clock.advance(30_000);
    expect(client.lastWatch().options).toMatchObject({ sendInitialEvents: true });
  });

  test.each<{ what: string; event: (version: number) => WatchEvent<PersistentVolumeClaim> }>([
    { what: 'changes', event: (version) => ({ type: 'MODIFIED', object: claim('a', version) }) },
    { what: 'deletions', event: (version) => ({ type: 'DELETED', object: claim('a', version) }) },
    { what: 'bookmarks', event: (version) => ({ type: 'BOOKMARK', resourceVersion: String(version) }) },
  ])('B4: its end never comes, but $what do, none late -> given up soon, then pages', async ({ event }) => {
    const { client, clock, applied } = streamed();
    await settled();
    const list = client.lastWatch();
    list.send({ type: 'ADDED', object: claim('a', 3) });
    client.answerList([{ version: '9', items: [claim('b', 9)] }]);
    for (let version = 4; version < 8 && !list.isEnded; version++) {
      list.send(event(version));
      await clock.advance(6_000);
    }
    expect(list.isEnded).toBe(true);
    expect(applied).toEqual(['replace b']);
  });

  test('B4: objects come for minutes, one after the other -> waited for', async () => {
    const { client, clock, applied } = streamed();
    await settled();
    const list = client.lastWatch();
    for (let version = 1; version <= 30; version++) {
      list.send({ type: 'ADDED', object: claim(`claim-${String(version)}`, version) });
      await clock.advance(6_000);
    }
    list.send(end('31'));
    await settled();
    expect(applied).toHaveLength(1);
    expect(client.lists).toStrictEqual([]);
  });

  test.each([400, 422])('refused with %d -> pages at once, and it is never asked for again', async (code) => {
    const { client, clock, applied, delays } = streamed();
    await settled();
    client.answerList([{ version: '7', items: [claim('a', 3)] }]);
    client.lastWatch().fail(new ApiError('GET /watch', code, { reason: 'Invalid' }));
    await settled();
    expect([applied, delays]).toEqual([['replace a'], []]);
    client.answerList([{ version: '30', items: [] }]);
    client.lastWatch().fail(gone());
    await clock.advance(0);
    expect(applied).toEqual(['replace a', 'replace']);
    expect(client.watches.filter(({ options }) => options.sendInitialEvents === true)).toHaveLength(1);
  });

  test('breaks, and then the pages expire too -> streamed again', async () => {
    const { client, clock, applied } = streamed();
    await settled();
    client.lastWatch().fail(new Error('reset'));
    await settled();
    client.answerList(gone());
    await clock.advance(60_000);
    expect(client.watches).toHaveLength(2);
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 3) });
    client.lastWatch().send(end('7'));
    await settled();
    expect(applied).toEqual(['replace a']);
  });

  test('pages are asked for -> no stream', async () => {
    const { client, applied } = streamed({ lists: 'paged' });
    client.answerList([{ version: '7', items: [claim('a', 3)] }]);
    await settled();
    expect(applied).toEqual(['replace a']);
    expect(client.watches).toHaveLength(1);
  });
});

describe('watch ends as it should', () => {
  test.each<{ last: string; bookmark: boolean }>([
    { last: 'event', bookmark: false },
    { last: 'bookmark', bookmark: true },
  ])('last came a $last -> taken up at its version, without a list', async ({ bookmark }) => {
    const { client, clock, applied, delays } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    const watch = client.lastWatch();
    watch.send({ type: 'ADDED', object: claim('a', 8) });
    if (bookmark) {
      watch.send({ type: 'BOOKMARK', resourceVersion: '20' });
    }
    await clock.advance(300_000);
    watch.end();
    await settled();
    expect(client.watches).toHaveLength(2);
    expect(client.lastWatch().options.resourceVersion).toBe(bookmark ? '20' : '8');
    expect(applied).toEqual(['replace', 'ADDED a']);
    expect(delays).toStrictEqual([]);
  });

  test('nothing came in its time -> taken up at the version of the list', async () => {
    const { client, clock } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    await clock.advance(300_000);
    client.lastWatch().end();
    await settled();
    expect(client.watches).toHaveLength(2);
    expect(client.lastWatch().options.resourceVersion).toBe('7');
  });

  test('server ends each watch at once with nothing -> asked with growing delay, not in a tight loop', async () => {
    const { client, clock, delays } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    for (const delay of [800, 1_600, 3_200]) {
      const opened = client.watches.length;
      client.lastWatch().end();
      await clock.advance(delay - 1);
      expect(client.watches).toHaveLength(opened);
      await clock.advance(1);
      expect(client.watches).toHaveLength(opened + 1);
    }
    expect(delays).toEqual([800, 1_600, 3_200]);
    expect(client.lists).toHaveLength(1);
  });

  test.each<{ what: string; fail: (watch: OpenWatch) => void }>([
    { what: 'ends at once', fail: (watch) => watch.end() },
    {
      what: 'fails',
      fail: (watch) => watch.fail(new ApiError('GET /watch', 500, { reason: 'InternalError' })),
    },
  ])(
    'each watch from a version $what, and the server answers -> all is listed once in five of them',
    async ({ fail }) => {
      const { client, clock, applied } = start();
      client.answerList([{ version: '7', items: [claim('a', 3)] }]);
      await settled();
      for (const list of [2, 3]) {
        client.answerList([{ version: `${String(list)}0`, items: [claim(`b${String(list)}`, list)] }]);
        for (let watch = 1; watch <= 5; watch++) {
          expect(client.lists).toHaveLength(list - 1);
          const opened = client.watches.length;
          fail(client.lastWatch());
          for (let step = 1; step <= 300 && client.watches.length === opened; step++) {
            await clock.advance(100);
          }
        }
        expect(client.lastWatch().options.resourceVersion).toBe(`${String(list)}0`);
      }
      expect(applied).toEqual(['replace a', 'replace b2', 'replace b3']);
    },
  );

  test('five watches fail, but the last brings a bookmark, or the server is busy -> not listed', async () => {
    const { client, clock } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    for (let watch = 1; watch <= 12; watch++) {
      if (watch % 5 === 0) {
        client.lastWatch().send({ type: 'BOOKMARK', resourceVersion: '8' });
      }
      client.lastWatch().fail(new Error('socket hang up'));
      await clock.advance(30_000);
      client.lastWatch().fail(new ApiError('GET /watch', 429, { reason: 'TooManyRequests' }));
      await clock.advance(30_000);
    }
    expect(client.lists).toHaveLength(1);
  });

  test('server ends each watch at once, after one bookmark -> asked once in a while, not in a tight loop', async () => {
    const { client, clock, delays } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    for (let round = 1; round <= 3; round++) {
      client.lastWatch().send({ type: 'BOOKMARK', resourceVersion: String(7 + round) });
      client.lastWatch().end();
      await clock.advance(799);
      expect(client.watches).toHaveLength(round);
      await clock.advance(1);
      expect(client.watches).toHaveLength(round + 1);
      expect(client.lastWatch().options.resourceVersion).toBe(String(7 + round));
    }
    expect(delays).toEqual([800, 800, 800]);
    expect(client.lists).toHaveLength(1);
  });
});

describe('410: the version is gone', () => {
  test('watch fails with it -> listed anew, at once', async () => {
    const { client, clock, applied } = start();
    client.answerList([{ version: '7', items: [claim('a', 3)] }]);
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('b', 8) });
    client.lastWatch().fail(gone());
    client.answerList([{ version: '30', items: [claim('c', 25)] }]);
    await clock.advance(0);
    expect(applied).toEqual(['replace a', 'ADDED b', 'replace c']);
    expect(client.lastWatch().options.resourceVersion).toBe('30');
  });

  test('each watch brings one change, and then fails with it -> listed anew at once, then with growing delay', async () => {
    const { client, clock, delays } = start();
    for (let round = 1; round <= 4; round++) {
      client.answerList([{ version: String(10 * round), items: [claim('a', 3)] }]);
    }
    await settled();
    for (const delay of [0, 1_600, 3_200]) {
      const listed = client.lists.length;
      client.lastWatch().send({ type: 'ADDED', object: claim('b', 10 * listed + 1) });
      client.lastWatch().fail(gone());
      await clock.advance(delay);
      expect(client.lists).toHaveLength(listed + 1);
    }
    expect(delays).toEqual([0, 1_600, 3_200]);
  });

  test('fails with it once in a minute -> listed anew at once each time', async () => {
    const { client, clock, delays } = start();
    for (let round = 1; round <= 4; round++) {
      client.answerList([{ version: String(10 * round), items: [] }]);
    }
    await settled();
    for (let round = 1; round <= 3; round++) {
      await clock.advance(60_000);
      client.lastWatch().send({ type: 'BOOKMARK', resourceVersion: String(10 * round + 1) });
      client.lastWatch().fail(gone());
      await clock.advance(0);
      expect(client.lists).toHaveLength(round + 1);
    }
    expect(delays).toEqual([0, 0, 0]);
  });

  test('first page of a list fails with it -> listed anew, in pages', async () => {
    const { client, clock, applied } = start();
    client.answerList(gone());
    client.answerList([{ version: '30', items: [claim('c', 25)] }]);
    await clock.advance(60_000);
    expect(applied).toEqual(['replace c']);
    expect(client.fullLists).toStrictEqual([]);
  });

  const expiring = [{ version: '7', items: [claim('a', 3)] }, gone()];

  test('list expires between two pages -> all listed at once without pages, none of the first kept', async () => {
    const { client, applied, delays } = start({ namespace: 'shop', labelSelector: 'app=a' });
    client.answerList(expiring, 'shop');
    client.answerList([{ version: '30', items: [claim('b', 20), claim('c', 25)] }], 'shop');
    await settled();
    expect(applied).toEqual(['replace b c']);
    expect(delays).toStrictEqual([]);
    expect(client.fullLists).toHaveLength(1);
    expect(client.fullLists[0]).toMatchObject({ namespace: 'shop', labelSelector: 'app=a' });
    expect(client.fullLists[0]).not.toHaveProperty('limit');
    expect(client.lastWatch().options.resourceVersion).toBe('30');
  });

  test('list without pages fails as well -> pages again after a delay', async () => {
    const { client, clock, applied, delays } = start();
    client.answerList(expiring);
    client.answerList(new Error('too large'));
    client.answerList([{ version: '30', items: [claim('c', 25)] }]);
    await clock.advance(60_000);
    expect(applied).toEqual(['replace c']);
    expect(delays).toEqual([800]);
    expect(client.lists).toHaveLength(2);
  });

  test('another failure between two pages -> pages again, not all at once', async () => {
    const { client, clock, applied } = start();
    client.answerList([{ version: '7', items: [claim('a', 3)] }, new Error('reset')]);
    client.answerList([{ version: '30', items: [claim('c', 25)] }]);
    await clock.advance(60_000);
    expect(applied).toEqual(['replace c']);
    expect(client.fullLists).toStrictEqual([]);
  });

  test('again and again -> with growing delay', async () => {
    const { client, clock, delays } = start();
    for (let n = 0; n < 4; n++) {
      client.answerList([{ version: '7', items: [] }]);
    }
    for (let n = 0; n < 3; n++) {
      await clock.advance(60_000);
      client.lastWatch().fail(gone());
      await settled();
    }
    await clock.advance(0);
    expect(delays[0]).toBe(0);
    expect(delays[1]).toBeGreaterThanOrEqual(800);
    expect(delays[2]).toBeGreaterThan(delays[1] ?? 0);
  });
});

describe('any other failure', () => {
  const failures: readonly Error[] = [
    new Error('socket hang up'),
    new ApiError('GET /watch', 500, { message: 'etcdserver: leader changed' }),
    new ApiError('GET /watch', 403, { reason: 'Forbidden' }),
    new ApiError('GET /watch', 401, { reason: 'Unauthorized' }),
    new SyntaxError('half an event'),
  ];

  test.each(failures)(
    'list fails: %s -> retried for ever, after 800 ms doubled up to 30 s',
    async (error) => {
      const { client, clock, delays } = start();
      for (let n = 0; n < 9; n++) {
        client.answerList(error);
      }
      client.answerList([{ version: '7', items: [] }]);
      await clock.advance(300_000);
      expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
      expect(client.watches).toHaveLength(1);
    },
  );

  test('random at its most -> as much again is added', async () => {
    const { client, clock, delays } = start({ random: () => 1 });
    for (let n = 0; n < 8; n++) {
      client.answerList(new Error('no'));
    }
    await clock.advance(600_000);
    expect([delays[0], delays.at(-1)]).toEqual([1_600, 60_000]);
  });

  test.each(failures)('watch fails: %s -> taken up where it was, without a list', async (error) => {
    const { client, clock, applied, delays } = start();
    client.answerList([{ version: '7', items: [] }]);
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 8) });
    client.lastWatch().fail(error);
    await clock.advance(800);
    expect(delays).toEqual([800]);
    expect(client.lastWatch().options.resourceVersion).toBe('8');
    expect(client.lists).toHaveLength(1);
    expect(applied).toEqual(['replace', 'ADDED a']);
  });

  test('a long healthy watch between two failures -> the second starts with 800 ms again', async () => {
    const { client, clock, delays } = start();
    client.answerList(new Error('no'));
    client.answerList(new Error('no'));
    client.answerList([{ version: '7', items: [] }]);
    await clock.advance(10_000);
    await clock.advance(240_000);
    client.lastWatch().fail(new Error('reset'));
    await settled();
    expect(delays).toEqual([800, 1_600, 800]);
  });
});

describe('aborted', () => {
  test.each(['list', 'watch', 'back-off'])(
    'in the %s -> resolves, and asks for nothing more',
    async (phase) => {
      const { client, clock, stop, running } = start();
      if (phase === 'back-off') {
        client.answerList(new Error('no'));
      } else if (phase === 'watch') {
        client.answerList([{ version: '7', items: [] }]);
      }
      await settled();
      stop.abort(new Error('enough'));
      await running;
      expect(clock.pending).toBe(0);
      const asked = client.lists.length + client.watches.length;
      await clock.advance(600_000);
      expect(client.lists.length + client.watches.length).toBe(asked);
    },
  );

  test('before it ran -> resolves without a request', async () => {
    const client = createScriptedClient();
    const { sink, observer } = {
      sink: { replace: () => undefined, leaveOut: () => undefined, apply: () => undefined },
      observer: {
        listed: () => undefined,
        watchStarted: () => undefined,
        heard: () => undefined,
        skipped: () => undefined,
        failed: () => undefined,
      },
    };
    await runReflector(
      { client, resource: persistentVolumeClaims, clock: createFakeClock(), sink, observer },
      AbortSignal.abort(new Error('enough')),
    );
    expect(client.lists).toStrictEqual([]);
  });
});
