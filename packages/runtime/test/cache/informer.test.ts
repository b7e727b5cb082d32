import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer, type InformerOptions } from '../../src/cache/informer.ts';
import { createKeptLog } from '../../src/testing/kept-log.ts';
import { claim } from '../claim.ts';
import { createScriptedClient, gone } from './scripted-client.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function start(options: Partial<InformerOptions<PersistentVolumeClaim>> = {}) {
  const clock = createFakeClock();
  const client = createScriptedClient();
  const registry = new Registry();
  const informer = createInformer({
    client,
    resource: persistentVolumeClaims,
    logger: pino({ level: 'silent' }),
    metrics: createInformerMetrics(registry),
    clock,
    ...options,
  });
  const calls: string[] = [];
  const show = ({ metadata }: PersistentVolumeClaim): string =>
    `${metadata.name}@${metadata.resourceVersion}`;
  informer.addHandler({
    added: (object, inInitialList) => calls.push(`added ${show(object)}${inInitialList ? ' initial' : ''}`),
    updated: (before, after) => calls.push(`updated ${show(before)} ${show(after)}`),
    deleted: (last) => calls.push(`deleted ${show(last)}`),
  });
  const stop = new AbortController();
  const run = (): void => {
    const running = informer.run(stop.signal);
    stops.push(() => {
      stop.abort(new Error('test is over'));
      return running;
    });
  };
  return { clock, client, registry, informer, calls, run };
}

/** Running, with the given list in the store and its handlers called. */
async function synced(
  list: readonly PersistentVolumeClaim[],
  options: Partial<InformerOptions<PersistentVolumeClaim>> = {},
) {
  const started = start(options);
  started.run();
  started.client.answerList([{ version: '10', items: list }]);
  await settled();
  const initial = started.calls.splice(0);
  return { ...started, initial };
}

describe('first list', () => {
  test('objects -> in the store and added as initial, then synced', async () => {
    const { informer, client, calls, run } = start();
    run();
    await settled();
    expect(informer.hasSynced()).toBe(false);
    client.answerList([{ version: '10', items: [claim('a', 3), claim('b', 5)] }]);
    await informer.synced(new AbortController().signal);
    expect(informer.hasSynced()).toBe(true);
    expect(calls).toEqual(['added a@3 initial', 'added b@5 initial']);
    expect(informer.store.get('shop/b')).toEqual(claim('b', 5));
    expect(informer.store.size).toBe(2);
  });

  test('nothing there -> synced all the same', async () => {
    const { informer, calls } = await synced([]);
    expect(informer.hasSynced()).toBe(true);
    expect(calls).toStrictEqual([]);
  });

  test('aborted before -> who waits for it gets the reason', async () => {
    const { informer } = start();
    const stop = new AbortController();
    const waiting = informer.synced(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(informer.synced(stop.signal)).rejects.toThrow('enough');
  });
});

describe('events', () => {
  test('added, modified, deleted -> handlers called with old and new, the store is in the new state by then', async () => {
    const { informer, client, calls } = await synced([]);
    const watch = client.lastWatch();
    watch.send({ type: 'ADDED', object: claim('a', 11) });
    expect(informer.store.get('shop/a')).toEqual(claim('a', 11));
    watch.send({ type: 'MODIFIED', object: claim('a', 12) });
    watch.send({ type: 'DELETED', object: claim('a', 13) });
    expect(informer.store.size).toBe(0);
    expect(calls).toEqual(['added a@11', 'updated a@11 a@12', 'deleted a@13']);
  });

  test('handlers -> called with the store already in the new state', async () => {
    const { informer, client, run } = start();
    const seen: unknown[] = [];
    const look = (): number => seen.push(informer.store.get('shop/a')?.metadata.resourceVersion);
    informer.addHandler({ added: look, updated: look, deleted: look });
    run();
    client.answerList([{ version: '10', items: [claim('a', 3)] }]);
    await settled();
    client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 11) });
    client.lastWatch().send({ type: 'DELETED', object: claim('a', 12) });
    expect(seen).toEqual(['3', '11', undefined]);
  });

  test('the same again -> handlers called once', async () => {
    const { client, calls } = await synced([claim('a', 9)]);
    client.lastWatch().send({ type: 'ADDED', object: claim('a', 9) });
    client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 11) });
    client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 11) });
    expect(calls).toEqual(['updated a@9 a@11']);
  });

  test('older than what is known -> ignored', async () => {
    const { informer, client, calls } = await synced([claim('a', 9)]);
    client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 8) });
    expect(calls).toStrictEqual([]);
    expect(informer.store.get('shop/a')?.metadata.resourceVersion).toBe('9');
  });

  test('deleted and made again, the deletion was skipped -> deleted, then added', async () => {
    const { informer, client, calls } = await synced([claim('a', 9)]);
    client.lastWatch().send({ type: 'MODIFIED', object: claim('a', 15, { uid: 'second' }) });
    expect(calls).toEqual(['deleted a@9', 'added a@15']);
    expect(informer.store.get('shop/a')?.metadata.uid).toBe('second');
  });

  test('late deletion of an object that was made again -> the new one stays', async () => {
    const { informer, client, calls } = await synced([claim('a', 9, { uid: 'second' })]);
    client.lastWatch().send({ type: 'DELETED', object: claim('a', 8, { uid: 'first' }) });
    expect(calls).toStrictEqual([]);
    expect(informer.store.size).toBe(1);
  });

  test('deletion of an unknown object -> no handler called', async () => {
    const { client, calls } = await synced([]);
    client.lastWatch().send({ type: 'DELETED', object: claim('a', 11) });
    expect(calls).toStrictEqual([]);
  });

  test('a handler throws -> the log names the object, the others are called, and the watch goes on', async () => {
    const { logger, lines } = createKeptLog('test', 'info');
    const { informer, client, calls, run } = start({ logger });
    const fail = (): never => {
      throw new Error('handler is broken');
    };
    const after: string[] = [];
    informer.addHandler({ added: fail, updated: fail, deleted: fail });
    informer.addHandler({ added: ({ metadata }) => after.push(metadata.name) });
    run();
    client.answerList([{ version: '10', items: [claim('a', 3)] }]);
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: claim('b', 11) });
    client.lastWatch().send({ type: 'DELETED', object: claim('b', 12) });
    expect(informer.hasSynced()).toBe(true);
    expect(after).toEqual(['a', 'b']);
    expect(lines.map(({ msg, key }) => `${msg}: ${String(key)}`)).toEqual([
      'Event handler failed: shop/a',
      'Event handler failed: shop/b',
      'Event handler failed: shop/b',
    ]);
    expect(calls).toEqual(['added a@3 initial', 'added b@11', 'deleted b@12']);
    expect(client.watches).toHaveLength(1);
  });

  test('handler comes when the informer runs -> refused: it would miss what others saw', async () => {
    const { informer } = await synced([]);
    expect(() => informer.addHandler({})).toThrow('persistentvolumeclaims runs already');
  });
});

describe('list after the first', () => {
  test('objects are gone, new, changed and unchanged -> handlers called so, and not as initial', async () => {
    const { informer, client, clock, calls } = await synced([
      claim('gone', 1),
      claim('changed', 2),
      claim('same', 3),
    ]);
    client.lastWatch().fail(gone());
    client.answerList([{ version: '30', items: [claim('changed', 20), claim('same', 3), claim('new', 25)] }]);
    await clock.advance(60_000);
    expect([...calls].sort()).toEqual(['added new@25', 'deleted gone@1', 'updated changed@2 changed@20']);
    expect(new Set(Array.from(informer.store.values(), ({ metadata }) => metadata.name))).toEqual(
      new Set(['changed', 'same', 'new']),
    );
  });

  test('made again in between -> deleted, then added', async () => {
    const { client, clock, calls } = await synced([claim('a', 1)]);
    client.lastWatch().fail(gone());
    client.answerList([{ version: '30', items: [claim('a', 20, { uid: 'second' })] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['deleted a@1', 'added a@20']);
  });

  test('versions went back, as of a cluster restored from a backup -> taken', async () => {
    const { informer, client, clock, calls } = await synced([claim('a', 9)]);
    client.lastWatch().fail(gone());
    client.answerList([{ version: '5', items: [claim('a', 4)] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['updated a@9 a@4']);
    expect(informer.store.get('shop/a')?.metadata.resourceVersion).toBe('4');
  });

  test('versions went back, and were given a second time -> objects of a known version are taken all the same', async () => {
    const { informer, client, clock, calls } = await synced([claim('a', 4), claim('b', 4), claim('c', 9)]);
    client.lastWatch().fail(gone());
    const changed = claim('a', 4, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    client.answerList([{ version: '5', items: [changed, claim('b', 4, { uid: 'another' })] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['deleted c@9', 'updated a@4 a@4', 'deleted b@4', 'added b@4']);
    expect(informer.store.get('shop/a')?.metadata.deletionTimestamp).toBeDefined();
    expect(informer.store.get('shop/b')?.metadata.uid).toBe('another');
  });

  test('server shows unchanged objects otherwise, as after a start with other feature gates -> taken, the others left', async () => {
    const { informer, client, clock, calls } = await synced([claim('a', 4), claim('b', 4)]);
    const before = informer.store.get('shop/b');
    client.lastWatch().fail(gone());
    const defaulted = { ...claim('a', 4), spec: { volumeMode: 'Filesystem' } };
    client.answerList([{ version: '12', items: [defaulted, claim('b', 4)] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['updated a@4 a@4']);
    expect(informer.store.get('shop/a')?.spec?.volumeMode).toBe('Filesystem');
    expect(informer.store.get('shop/b')).toBe(before);
  });

  test('kind is on what the watch brought, and not on what a list in pages has -> unchanged', async () => {
    const { informer, client, clock, calls } = await synced([claim('b', 4)]);
    const typed = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim('a', 11) };
    client.lastWatch().send({ type: 'ADDED', object: typed });
    client.lastWatch().fail(gone());
    client.answerList([{ version: '12', items: [claim('a', 11), claim('b', 4)] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['added a@11']);
    expect(informer.store.get('shop/a')).toBe(typed);
  });

  test('versions went back and forth unseen, another object has the name and version of a known one -> taken', async () => {
    const { informer, client, clock, calls } = await synced([claim('a', 9)]);
    client.lastWatch().fail(gone());
    client.answerList([{ version: '12', items: [claim('a', 9, { uid: 'another' })] }]);
    await clock.advance(60_000);
    expect(calls).toEqual(['deleted a@9', 'added a@9']);
    expect(informer.store.get('shop/a')?.metadata.uid).toBe('another');
  });
});

describe('namespaces', () => {
  const inShop = (name: string, version: number): PersistentVolumeClaim => claim(name, version);
  const inOps = (name: string, version: number): PersistentVolumeClaim =>
    claim(name, version, { namespace: 'ops' });

  test('two -> a list and a watch each, synced after both', async () => {
    const { informer, client, run } = start({ namespaces: ['shop', 'ops'] });
    run();
    await settled();
    expect(client.lists.map((list) => list.namespace)).toEqual(['shop', 'ops']);
    client.answerList([{ version: '10', items: [inShop('a', 3)] }], 'shop');
    await settled();
    expect(informer.hasSynced()).toBe(false);
    client.answerList([{ version: '11', items: [inOps('b', 4)] }], 'ops');
    await settled();
    expect(informer.hasSynced()).toBe(true);
    expect(client.watches.map(({ options }) => [options.namespace, options.resourceVersion])).toEqual([
      ['shop', '10'],
      ['ops', '11'],
    ]);
    expect(informer.store.size).toBe(2);
  });

  test('a thousand are waited for -> each on its own, with one listener on the signal, which ends the others', async () => {
    const namespaces = Array.from({ length: 1_000 }, (_, index) => `ns-${String(index)}`);
    const { informer, client, run } = start({ namespaces });
    const stop = new AbortController();
    const ended: string[] = [];
    for (const namespace of namespaces) {
      informer.synced(stop.signal, namespace).then(
        () => ended.push(`${namespace} synced`),
        () => ended.push(`${namespace} aborted`),
      );
    }
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    run();
    await settled();
    client.answerList([{ version: '10', items: [] }], 'ns-1');
    await settled();
    expect(ended).toEqual(['ns-1 synced']);
    stop.abort(new Error('nobody waits any more'));
    await settled();
    expect(ended).toHaveLength(1_000);
    expect(ended).not.toContain('ns-1 aborted');
  });

  test('event in one before the other is listed -> not added as initial: it happened just now', async () => {
    const { client, calls, run } = start({ namespaces: ['shop', 'ops'] });
    run();
    client.answerList([{ version: '10', items: [inShop('a', 3)] }], 'shop');
    await settled();
    client.lastWatch().send({ type: 'ADDED', object: inShop('b', 11) });
    client.answerList([{ version: '12', items: [inOps('c', 4)] }], 'ops');
    await settled();
    expect(calls).toEqual(['added a@3 initial', 'added b@11', 'added c@4 initial']);
  });

  test('one is listed anew -> the objects of the other stay', async () => {
    const { informer, client, clock, calls, run } = start({ namespaces: ['shop', 'ops'] });
    run();
    client.answerList([{ version: '10', items: [inShop('a', 3)] }], 'shop');
    client.answerList([{ version: '10', items: [inOps('b', 4)] }], 'ops');
    await settled();
    calls.splice(0);
    client.watches.find(({ options }) => options.namespace === 'shop')?.fail(gone());
    client.answerList([{ version: '20', items: [] }], 'shop');
    await clock.advance(60_000);
    expect(calls).toEqual(['deleted a@3']);
    expect(informer.store.get('ops/b')).toBeDefined();
  });

  test('one is listed anew -> no object of the other is looked at', async () => {
    const { informer, client, clock, run } = start({ namespaces: ['shop', 'ops'] });
    run();
    let looks = 0;
    const { metadata } = claim('a', 3, { namespace: 'ops' });
    const watched = {
      get metadata() {
        looks += 1;
        return metadata;
      },
    };
    client.answerList([{ version: '10', items: [watched] }], 'ops');
    client.answerList([{ version: '10', items: [claim('b', 5)] }], 'shop');
    await informer.synced(new AbortController().signal);
    await settled();
    looks = 0;
    client.answerList([{ version: '12', items: [claim('c', 11)] }], 'shop');
    client.watches.find(({ options }) => options.namespace === 'shop')?.fail(gone());
    await clock.advance(0);
    expect([informer.store.get('shop/b'), informer.store.get('shop/c')]).toEqual([undefined, claim('c', 11)]);
    expect(looks).toBe(0);
  });

  test('empty list of namespaces -> all of them, by one watch', async () => {
    const { client } = await synced([], { namespaces: [] });
    expect(client.watches).toHaveLength(1);
    expect(client.lastWatch().options.namespace).toBeUndefined();
  });
});

test('transform and indexes -> the store holds what the transform made, and finds it', async () => {
  const { informer, client } = await synced([claim('a', 3, { labels: { app: 'web' } })], {
    transform: ({ metadata }) => ({
      metadata: { ...metadata, labels: { app: metadata.labels?.['app'] ?? 'none' } },
    }),
    indexes: { byApp: ({ metadata }) => [metadata.labels?.['app'] ?? ''] },
  });
  client.lastWatch().send({ type: 'ADDED', object: claim('b', 11) });
  expect(informer.store.byIndex('byApp', 'web').map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(informer.store.byIndex('byApp', 'none').map(({ metadata }) => metadata.name)).toEqual(['b']);
});

test("lists, watches and failures -> counted under the names of client-go's reflectors", async () => {
  const { client, clock, registry } = await synced([]);
  client.lastWatch().fail(new Error('reset'));
  await clock.advance(60_000);
  const text = await registry.metrics();
  expect(text).toContain('reflector_lists_total{name="persistentvolumeclaims"} 1');
  expect(text).toContain('reflector_watches_total{name="persistentvolumeclaims"} 2');
  expect(text).toContain('reflector_failures_total{name="persistentvolumeclaims"} 1');
});

describe('staleness', () => {
  const staleness = async (registry: Registry): Promise<number> => {
    const [, seconds] =
      /^informer_staleness_seconds\{name="persistentvolumeclaims"\} (.+)$/m.exec(await registry.metrics()) ??
      [];
    return Number(seconds);
  };

  test('never answered -> grows from the start', async () => {
    const { run, clock, registry } = start();
    run();
    await clock.advance(7_000);
    expect(await staleness(registry)).toBe(7);
  });

  test('list, event, bookmark, normal end -> each a sign of life', async () => {
    const { client, clock, registry } = await synced([]);
    expect(await staleness(registry)).toBe(0);
    const signs = [
      () => client.lastWatch().send({ type: 'ADDED', object: claim('a', 11) }),
      () => client.lastWatch().send({ type: 'BOOKMARK', resourceVersion: '12' }),
      () => client.lastWatch().end(),
    ];
    for (const sign of signs) {
      await clock.advance(20_000);
      expect(await staleness(registry)).toBe(20);
      sign();
      await settled();
      expect(await staleness(registry)).toBe(0);
    }
  });

  test('watch fails and no list is answered -> grows, whatever is tried', async () => {
    const { client, clock, registry } = await synced([]);
    client.lastWatch().fail(gone());
    await clock.advance(90_000);
    expect(await staleness(registry)).toBe(90);
  });

  test('one of two namespaces is silent -> its age is shown', async () => {
    const { client, clock, registry, run } = start({ namespaces: ['shop', 'ops'] });
    run();
    client.answerList([{ version: '10', items: [] }], 'shop');
    client.answerList([{ version: '10', items: [] }], 'ops');
    await settled();
    await clock.advance(30_000);
    client.watches[0]?.send({ type: 'BOOKMARK', resourceVersion: '12' });
    await settled();
    expect(await staleness(registry)).toBe(30);
  });
});
