import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FaultPlan, createFaultPlan } from '../src/http/faults.ts';
import { settled } from '../src/fake-clock.ts';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Client, clientOf, configMaps, mergePatch } from './client.ts';

let faults: FaultPlan;
let server: ApiServer;
let client: Client;

beforeEach(async () => {
  faults = createFaultPlan(1);
  server = await startApiServer({ tls: false, faults });
  client = clientOf(server);
  await client.send('POST', configMaps, { metadata: { name: 'a' } });
});

afterEach(() => server.stop());

const patchA = (value: string): ReturnType<Client['send']> =>
  client.send('PATCH', `${configMaps}/a`, { data: { value } }, mergePatch);

describe('faults', () => {
  test('status on the 2nd patch -> only that one fails, with Retry-After, and nothing is written', async () => {
    faults.on(
      { verb: 'patch', resource: 'configmaps' },
      { kind: 'status', code: 503, reason: 'ServiceUnavailable', retryAfterSeconds: 3 },
      { nth: 2 },
    );
    expect((await patchA('1')).code).toBe(200);
    const failed = await patchA('2');
    expect(failed.code).toBe(503);
    expect(failed.headers['retry-after']).toBe('3');
    expect(failed.body.reason).toBe('ServiceUnavailable');
    expect((await client.send('GET', `${configMaps}/a`)).body.data).toEqual({ value: '1' });
    expect((await patchA('3')).code).toBe(200);
    expect(faults.injected).toHaveLength(1);
  });

  test('reset before -> no write; reset after -> written though the client never hears', async () => {
    faults.on({ verb: 'patch' }, { kind: 'reset', when: 'before' }, { nth: 1 });
    faults.on({ verb: 'patch' }, { kind: 'reset', when: 'after' }, { nth: 2 });
    await expect(patchA('1')).rejects.toThrow();
    expect((await client.send('GET', `${configMaps}/a`)).body.data).toBeUndefined();
    await expect(patchA('2')).rejects.toThrow();
    expect((await client.send('GET', `${configMaps}/a`)).body.data).toEqual({ value: '2' });
    expect(server.requests.count({ verb: 'patch', code: 0 })).toBe(2);
  });

  test('watch cut after 2 events -> reset; next watch is whole', async () => {
    faults.on({ verb: 'watch' }, { kind: 'cutWatch', afterEvents: 2 }, { nth: 1 });
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${server.storage.revision}`);
    for (const value of ['1', '2', '3']) {
      await patchA(value);
    }
    expect((await watch.next())?.object.data).toEqual({ value: '1' });
    expect((await watch.next())?.object.data).toEqual({ value: '2' });
    expect(await watch.next()).toBeUndefined();
    expect(await watch.ended).toBe('reset');
  });

  test('watch stalled -> stays open and silent', async () => {
    faults.on({ verb: 'watch' }, { kind: 'stallWatch', afterEvents: 1 }, { nth: 1 });
    const path = `${configMaps}?watch=1&resourceVersion=${server.storage.revision}`;
    const [watch, whole] = [await client.watch(path), await client.watch(path)];
    await patchA('1');
    await patchA('2');
    await patchA('3');
    expect((await watch.next())?.object.data).toEqual({ value: '1' });
    // What the other watch has shown, this one would have, too: it is written first.
    for (const value of ['1', '2', '3']) {
      expect((await whole.next())?.object.data).toEqual({ value });
    }
    const silence = settled().then(() => 'silence');
    expect(await Promise.race([watch.next(), watch.ended, silence])).toBe('silence');
    watch.stop();
    whole.stop();
  });

  test('duplicated events -> each change twice', async () => {
    faults.on({ verb: 'watch' }, { kind: 'duplicateEvents' });
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${server.storage.revision}`);
    await patchA('1');
    const first = await watch.next();
    expect(await watch.next()).toEqual(first);
    watch.stop();
  });

  test('bookmarks withheld -> a streaming list never says where it ends', async () => {
    faults.on({ verb: 'watch' }, { kind: 'withholdBookmarks' });
    const watch = await client.watch(
      `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect((await watch.next())?.type).toBe('ADDED');
    await patchA('1');
    expect((await watch.next())?.type).toBe('MODIFIED');
    watch.stop();
  });

  test('stale read -> the state some revisions ago, writes go to the present one', async () => {
    await patchA('1');
    await patchA('2');
    faults.on({ verb: ['get', 'list'] }, { kind: 'stale', behind: 1 });
    expect((await client.send('GET', `${configMaps}/a`)).body.data).toEqual({ value: '1' });
    const { body } = await client.send('GET', configMaps);
    expect(body.items[0]?.data).toEqual({ value: '1' });
    expect(Number(body.metadata.resourceVersion)).toBe(server.storage.revision - 1);
    expect((await patchA('3')).body.data).toEqual({ value: '3' });
  });

  test('code at the nth request -> runs before it is served', async () => {
    const order: string[] = [];
    faults.on(
      { verb: 'get' },
      { kind: 'call', run: ({ name, query }) => void order.push(`${name}?${String(query)}`) },
      { from: 2, times: 1 },
    );
    for (let round = 0; round < 3; round++) {
      await client.send('GET', `${configMaps}/a?round=${String(round)}`);
    }
    expect(order).toEqual(['a?round=1']);
  });

  test('code at a path that is no resource -> gets the query too', async () => {
    let query: URLSearchParams | undefined;
    faults.on({ resource: '' }, { kind: 'call', run: (request) => void ({ query } = request) });
    await client.send('GET', '/version?timeout=5s');
    expect(String(query)).toBe('timeout=5s');
  });

  test('same seed -> the same requests are hit', () => {
    const request = {
      verb: 'get',
      resource: 'pods',
      subresource: '',
      namespace: 'n',
      name: 'x',
      query: new URLSearchParams(),
      userAgent: '',
    } as const;
    const draw = (seed: number): boolean[] => {
      const plan = createFaultPlan(seed).on({}, { kind: 'delay', milliseconds: 1 }, { probability: 0.3 });
      return Array.from({ length: 200 }, () => plan.decide(request).length > 0);
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const hits = draw(7).filter((hit) => hit).length;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(90);
  });
});
