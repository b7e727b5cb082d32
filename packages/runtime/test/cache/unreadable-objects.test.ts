import { afterEach, describe, expect, test } from '@jest/globals';
import { objectKey, pods, type ApiResource, type KubernetesObject, type StatefulSet } from '@holdfast/core';
import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer, type Informer } from '../../src/cache/informer.ts';
import type { IndexFunction } from '../../src/cache/store.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { listAll } from '../../src/client/list-all.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { createLocalClient } from '../client/local-client.ts';
import { answerJson, startLocalServer, type LocalServer } from '../client/local-server.ts';
import { until } from '../until.ts';

/** A kind of a CustomResourceDefinition that checks nothing. */
const sets: ApiResource<StatefulSet> = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};
const slimSet = createProjection(sets, {
  spec: { replicas: true, volumeClaimTemplates: [{ metadata: { name: true } }] },
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

/** A server of one list and one watch, and what an informer of it makes of them. */
interface Stage {
  readonly client: ApiClient;
  readonly server: LocalServer;
  readonly informer: Informer<StatefulSet>;
  readonly logged: readonly { readonly msg: string; readonly [field: string]: unknown }[];
  readonly deleted: readonly string[];
  readonly leftOut: readonly string[];
  /** Sends an event on the watch. */
  send(type: string, object: unknown): void;
  /** Of the objects that were left out. */
  skipped(): Promise<string | undefined>;
}

async function start(
  list: unknown,
  indexes: Readonly<Record<string, IndexFunction<StatefulSet>>> = {},
): Promise<Stage> {
  let watch: ServerResponse | undefined;
  const server = await startLocalServer((response, { url }) => {
    if (url.includes('sendInitialEvents')) {
      answerJson(response, 422, {
        kind: 'Status',
        reason: 'Invalid',
        message: 'sendInitialEvents is forbidden',
      });
    } else if (url.includes('watch=true')) {
      watch = response.writeHead(200, { 'content-type': 'application/json' });
      watch.flushHeaders();
    } else {
      answerJson(response, 200, list);
    }
  });
  const registry = new Registry();
  const client = createLocalClient(server, { metrics: createClientMetrics(registry, 'cluster') });
  const logged: { readonly msg: string }[] = [];
  const informer = createInformer({
    client,
    resource: sets,
    projection: slimSet,
    indexes,
    logger: pino(
      { base: null },
      { write: (line: string) => logged.push(JSON.parse(line) as { msg: string }) },
    ),
    metrics: createInformerMetrics(registry),
  });
  const deleted: string[] = [];
  const leftOut: string[] = [];
  informer.addHandler({
    deleted: (last) => deleted.push(objectKey(last)),
    leftOut: (key) => leftOut.push(key),
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  opened.push(server, client, { close: () => (stop.abort(new Error('test is over')), running) });
  return {
    client,
    server,
    informer,
    logged,
    deleted,
    leftOut,
    send: (type, object) => watch?.write(`${JSON.stringify({ type, object })}\n`),
    skipped: async () =>
      /reflector_objects_skipped_total\{name="statefulsets"\} (\d+)/.exec(await registry.metrics())?.[1],
  };
}

function set(
  name: string,
  version: number,
  templates: unknown = [{ metadata: { name: 'data' } }],
): KubernetesObject {
  return {
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: String(version) },
    spec: { replicas: 1, volumeClaimTemplates: templates },
  } as unknown as KubernetesObject;
}

const listOf = (items: unknown): unknown => ({ kind: 'List', metadata: { resourceVersion: '10' }, items });

const keysOf = ({ store }: Informer<StatefulSet>): readonly string[] =>
  [...store.values()].map(objectKey).sort();

describe('H7: object that cannot be read', () => {
  test.each<{ state: string; odd: unknown; key: string | undefined }>([
    { state: 'list of messages is a text', odd: set('odd', 2, 'x'), key: 'shop/odd' },
    { state: 'list of messages holds null', odd: set('odd', 2, [null]), key: 'shop/odd' },
    { state: 'list of messages holds a number', odd: set('odd', 2, [7]), key: 'shop/odd' },
    { state: 'message is a text', odd: { ...set('odd', 2), spec: 'x' }, key: 'shop/odd' },
    { state: 'message is a list', odd: { ...set('odd', 2), spec: [] }, key: 'shop/odd' },
    { state: 'no metadata', odd: { spec: {} }, key: undefined },
    {
      state: 'name is a number',
      odd: { metadata: { name: 7, resourceVersion: '2', uid: 'u' } },
      key: undefined,
    },
    {
      state: 'no resourceVersion',
      odd: { metadata: { name: 'odd', namespace: 'shop', uid: 'u' } },
      key: 'shop/odd',
    },
    { state: 'null', odd: null, key: undefined },
    { state: 'text', odd: 'x', key: undefined },
  ])('$state -> left out of a list, named and counted; the others are there', async ({ odd, key }) => {
    const stage = await start(listOf([set('a', 1), odd, set('b', 3)]));
    await until('the cache is full', () => stage.informer.hasSynced());
    expect(keysOf(stage.informer)).toEqual(['shop/a', 'shop/b']);
    expect(await stage.skipped()).toBe('1');
    expect(stage.logged.filter(({ msg }) => msg === 'Object left out: it cannot be read')).toEqual([
      expect.objectContaining({ resource: 'statefulsets', ...(key === undefined ? {} : { key }) }),
    ]);
  });

  test('object that an index of the cache throws on -> left out of list and watch alike, and the watch goes on', async () => {
    const { metadata } = set('odd', 2);
    const replicasOf = ({ spec }: StatefulSet) => [String((spec as { readonly replicas: number }).replicas)];
    const stage = await start(listOf([set('a', 1), { metadata }, set('b', 3)]), { replicas: replicasOf });
    await until('the cache is full', () => stage.informer.hasSynced());
    expect(keysOf(stage.informer)).toEqual(['shop/a', 'shop/b']);
    expect(await stage.skipped()).toBe('1');
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('MODIFIED', { metadata: set('a', 11).metadata });
    stage.send('MODIFIED', set('odd', 12));
    await until('the next event came', () => keysOf(stage.informer).includes('shop/odd'));
    expect(keysOf(stage.informer)).toEqual(['shop/b', 'shop/odd']);
    expect(stage.leftOut).toEqual(['shop/odd', 'shop/a']);
    expect(await stage.skipped()).toBe('2');
    expect(stage.informer.store.byIndex('replicas', '1')).toHaveLength(2);
    expect(stage.server.requests.filter(({ url }) => url.includes('watch=true'))).toHaveLength(2);
  });

  test('event -> left out, and the watch goes on', async () => {
    const stage = await start(listOf([]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('ADDED', set('odd', 11, 'x'));
    stage.send('ADDED', null);
    stage.send('ADDED', set('a', 12));
    await until('the next event came', () => keysOf(stage.informer).length > 0);
    expect(keysOf(stage.informer)).toEqual(['shop/a']);
    expect(await stage.skipped()).toBe('2');
    expect(stage.server.requests.filter(({ url }) => url.includes('watch=true'))).toHaveLength(2);
  });

  test('object becomes unreadable, then readable again -> out of the cache, then back', async () => {
    const stage = await start(listOf([set('a', 1)]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('MODIFIED', set('a', 11, 'x'));
    await until('it is out', () => keysOf(stage.informer).length === 0);
    expect(stage.deleted).toEqual(['shop/a']);
    expect(stage.leftOut).toEqual(['shop/a']);
    stage.send('MODIFIED', set('a', 12));
    await until('it is back', () => keysOf(stage.informer).length === 1);
  });

  test('unreadable object is deleted -> out of the cache', async () => {
    const stage = await start(listOf([set('a', 1)]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('DELETED', set('a', 11, 'x'));
    await until('it is out', () => keysOf(stage.informer).length === 0);
  });

  test('object that was never readable is deleted -> handlers learn that it is left out, twice', async () => {
    const stage = await start(listOf([]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('ADDED', set('a', 11, 'x'));
    stage.send('DELETED', set('a', 12, 'x'));
    await until('both came', () => stage.leftOut.length === 2);
    expect(stage.leftOut).toEqual(['shop/a', 'shop/a']);
    expect(stage.deleted).toStrictEqual([]);
  });

  test('list by hand, on which a decision rests -> thrown, with the name of the object', async () => {
    const { client } = await start(listOf([set('a', 1), set('odd', 2, 'x')]));
    const all = listAll(client, sets, { projection: slimSet });
    await expect(all.next()).rejects.toThrow('shop/odd can\'t be read: "volumeClaimTemplates" is no list');
  });
});

describe('H7: null', () => {
  test.each([[null], [undefined]])('items: %s -> an empty list', async (items) => {
    const stage = await start(listOf(items));
    await until('the cache is full', () => stage.informer.hasSynced());
    expect(keysOf(stage.informer)).toStrictEqual([]);
  });

  test('fields -> absent', async () => {
    const stage = await start(listOf([set('a', 1, null), { ...set('b', 2), spec: null }]));
    await until('the cache is full', () => stage.informer.hasSynced());
    expect(keysOf(stage.informer)).toEqual(['shop/a', 'shop/b']);
    expect(await stage.skipped()).toBeUndefined();
  });
});

describe('H7: protobuf', () => {
  const slimPod = createProjection(pods, { spec: { nodeName: true } });
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
  const meta = (name: string): Buffer =>
    field(1, Buffer.concat([text(1, name), text(3, 'shop'), text(5, `uid-${name}`), text(6, '7')]));
  /** A spec whose node name says that it is longer than the spec. */
  const torn = field(2, Buffer.from([(10 << 3) | 2, 100]));
  const envelope = (raw: Buffer): Buffer => Buffer.concat([Buffer.from('k8s\0'), field(2, raw)]);

  test('message of a list is torn -> left out, and the next are read', async () => {
    const list = envelope(
      Buffer.concat([
        field(1, text(2, '10')),
        field(2, Buffer.concat([meta('odd'), torn])),
        field(2, meta('a')),
      ]),
    );
    const server = await startLocalServer((response) =>
      response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf' }).end(list),
    );
    const client = createLocalClient(server);
    opened.push(server, client);
    const skipped: (string | undefined)[] = [];
    const { items } = await client.list(pods, {
      projection: slimPod,
      onUnreadable: ({ key }) => skipped.push(key),
    });
    expect(items.map(objectKey)).toEqual(['shop/a']);
    expect(skipped).toEqual(['shop/odd']);
    await expect(client.list(pods, { projection: slimPod })).rejects.toThrow("shop/odd can't be read");
  });
});

describe('object that can not be read changes again and again', () => {
  const errors = ({ logged }: Stage): readonly unknown[] =>
    logged
      .filter(({ msg, level }) => msg === 'Object left out: it cannot be read' && level === 50)
      .map(({ key, err }) => [key, (err as { readonly message: string }).message]);

  test('for the same reason -> logged as an error once, counted each time', async () => {
    const stage = await start(listOf([set('odd', 2, 'x'), set('good', 3)]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    for (let version = 20; version < 70; version++) {
      stage.send('MODIFIED', set('odd', version, 'x'));
    }
    stage.send('ADDED', set('last', 70));
    await until('the last one is there', () => keysOf(stage.informer).includes('shop/last'));
    expect(errors(stage)).toEqual([
      ['shop/odd', expect.stringContaining('"volumeClaimTemplates" is no list')],
    ]);
    expect(await stage.skipped()).toBe('51');
  });

  test('for another reason, or after it could be read -> logged again', async () => {
    const stage = await start(listOf([set('odd', 2, 'x')]));
    await until('the watch is open', () =>
      stage.server.requests.some(({ url }) => url.includes('resourceVersion=10')),
    );
    stage.send('MODIFIED', { ...set('odd', 20), spec: 'x' });
    stage.send('MODIFIED', set('odd', 21));
    stage.send('MODIFIED', { ...set('odd', 22), spec: 'x' });
    stage.send('ADDED', set('last', 70));
    await until('the last one is there', () => keysOf(stage.informer).includes('shop/last'));
    expect(errors(stage)).toHaveLength(3);
  });
});
