import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type FakeClock, createFakeClock, settled } from '../src/fake-clock.ts';
import { type Client, type WatchedEvent, clientOf, configMaps, mergePatch } from './client.ts';

// How versions, pages and watches behave was looked up at kube-apiserver 1.36.3; the texts are its own.

let clock: FakeClock;
let server: ApiServer;
let client: Client;

beforeEach(async () => {
  clock = createFakeClock();
  server = await startApiServer({ tls: false, after: clock.after });
  client = clientOf(server);
});

afterEach(() => server.stop());

async function create(name: string, labels: Record<string, string> = {}): Promise<string> {
  const { code, body } = await client.send('POST', configMaps, { metadata: { name, labels } });
  expect(code).toBe(201);
  return body.metadata.resourceVersion;
}

/** Resolves when the server waits for a timer. */
async function untilServerWaits(): Promise<void> {
  while (clock.pending === 0) {
    await settled();
  }
}

function seen(event: WatchedEvent | undefined): string {
  return `${event?.type ?? 'END'} ${event?.object.metadata.name ?? ''}`.trim();
}

describe('lists in pages', () => {
  test('objects written between two pages -> the second page is of the first one’s version', async () => {
    for (const name of ['a', 'b', 'c']) {
      await create(name);
    }
    const first = await client.send('GET', `${configMaps}?limit=2`);
    await create('aa');
    await client.send('DELETE', `${configMaps}/c`);

    const second = await client.send(
      'GET',
      `${configMaps}?limit=2&continue=${first.body.metadata.continue ?? ''}`,
    );

    expect(first.body.metadata.remainingItemCount).toBe(1);
    expect(second.body.items.map((item) => item.metadata.name)).toEqual(['c']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body.metadata.continue).toBeUndefined();
  });

  test('selector on a page -> no remaining count', async () => {
    for (const name of ['a', 'b', 'c']) {
      await create(name, { x: '1' });
    }
    const { body } = await client.send('GET', `${configMaps}?limit=1&labelSelector=x`);
    expect(body.metadata.continue).toBeDefined();
    expect(body.metadata.remainingItemCount).toBeUndefined();
  });

  test('compaction between two pages -> 410 with a token that goes on in the latest state', async () => {
    for (const name of ['a', 'b', 'c']) {
      await create(name);
    }
    const first = await client.send('GET', `${configMaps}?limit=2`);
    await create('bb');
    server.compact();

    const late = await client.send('GET', `${configMaps}?continue=${first.body.metadata.continue ?? ''}`);
    expect(late.code).toBe(410);
    expect(late.body.reason).toBe('Expired');
    const rest = await client.send('GET', `${configMaps}?continue=${late.body.metadata.continue ?? ''}`);
    expect(rest.body.items.map((item) => item.metadata.name)).toEqual(['bb', 'c']);
  });

  test('exact version -> the state of then; compacted -> 410', async () => {
    const before = await create('a');
    await client.send('DELETE', `${configMaps}/a`);
    const path = `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${before}`;
    expect((await client.send('GET', path)).body.items).toHaveLength(1);
    server.compact();
    const late = await client.send('GET', path);
    expect(late.code).toBe(410);
    expect(late.body.message).toBe('The resourceVersion for the provided list is too old.');
  });

  test('version still to come -> the list waits for it', async () => {
    const wanted = server.storage.revision + 1;
    const pending = client.send('GET', `${configMaps}?resourceVersion=${wanted}`);
    await untilServerWaits();
    await create('a');
    expect(clock.pending).toBe(0);
    expect((await pending).body.items).toHaveLength(1);
  });

  test('version that never comes -> 504 with retry-after, after 3 seconds', async () => {
    const pending = client.send('GET', `${configMaps}?resourceVersion=999999`);
    await untilServerWaits();
    await clock.advance(2_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    const { code, body, headers } = await pending;
    expect(code).toBe(504);
    expect(body.reason).toBe('Timeout');
    expect(headers['retry-after']).toBe('1');
  });

  test('version 0 -> everything, whatever the limit', async () => {
    for (const name of ['a', 'b']) {
      await create(name);
    }
    const { body } = await client.send('GET', `${configMaps}?resourceVersion=0&limit=1`);
    expect(body.items).toHaveLength(2);
  });
});

describe('watches', () => {
  test('from a version -> every later change in order, none twice', async () => {
    const version = await create('a');
    await create('b');
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${version}`);
    await client.send('PATCH', `${configMaps}/a`, { data: { x: '1' } }, mergePatch);
    await client.send('DELETE', `${configMaps}/b`);
    expect(seen(await watch.next())).toBe('ADDED b');
    expect(seen(await watch.next())).toBe('MODIFIED a');
    expect(seen(await watch.next())).toBe('DELETED b');
    watch.stop();
  });

  test('last finalizer removed -> DELETED shows the state before, at the version of the removal', async () => {
    await client.send('POST', configMaps, { metadata: { name: 'a', finalizers: ['x/y'] } });
    await client.send('DELETE', `${configMaps}/a`);
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${server.storage.revision}`);
    const patch = { metadata: { finalizers: null, labels: { z: '1' } } };
    const answer = await client.send('PATCH', `${configMaps}/a`, patch, mergePatch);
    const event = await watch.next();
    expect(seen(event)).toBe('DELETED a');
    expect(event?.object.metadata.finalizers).toEqual(['x/y']);
    expect(event?.object.metadata.labels).toBeUndefined();
    expect(Number(event?.object.metadata.resourceVersion)).toBe(server.storage.revision);
    expect(answer.body.metadata.labels).toEqual({ z: '1' });
    watch.stop();
  });

  test('object leaves the selection and comes back -> DELETED with its last selected state, ADDED', async () => {
    await create('a', { x: '1' });
    const watch = await client.watch(
      `${configMaps}?watch=1&labelSelector=x%3D1&resourceVersion=${server.storage.revision}`,
    );
    await client.send('PATCH', `${configMaps}/a`, { metadata: { labels: { x: '2' } } }, mergePatch);
    const left = String(server.storage.revision);
    await client.send('PATCH', `${configMaps}/a`, { metadata: { labels: { x: '1' } } }, mergePatch);
    const deleted = await watch.next();
    expect(seen(deleted)).toBe('DELETED a');
    expect(deleted?.object.metadata.labels).toEqual({ x: '1' });
    expect(deleted?.object.metadata.resourceVersion).toBe(left);
    expect(seen(await watch.next())).toBe('ADDED a');
    watch.stop();
  });

  test('streaming list -> all objects, then the bookmark that ends them, then changes', async () => {
    await create('a');
    await create('b');
    const watch = await client.watch(
      `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(seen(await watch.next())).toBe('ADDED a');
    expect(seen(await watch.next())).toBe('ADDED b');
    const bookmark = await watch.next();
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(bookmark?.object.metadata.resourceVersion)).toBe(server.storage.revision);
    await create('c');
    expect(seen(await watch.next())).toBe('ADDED c');
    watch.stop();
  });

  test('history compacted -> ERROR event with 410 in a stream of status 200, then the end', async () => {
    const version = await create('a');
    await create('b');
    server.compact();
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${version}`);
    expect(watch.code).toBe(200);
    const event = await watch.next();
    expect(event?.type).toBe('ERROR');
    expect(event?.object).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    expect(await watch.ended).toBe('closed');
  });

  test('version at the compaction itself -> watch goes on from there', async () => {
    await create('a');
    server.compact();
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${server.storage.revision}`);
    await create('b');
    expect(seen(await watch.next())).toBe('ADDED b');
    watch.stop();
  });

  test('timeoutSeconds passed -> the stream ends cleanly', async () => {
    const watch = await client.watch(`${configMaps}?watch=1&timeoutSeconds=1`);
    await clock.advance(999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await watch.ended).toBe('closed');
  });

  test('bookmarks allowed -> one each minute, and one two seconds before the end', async () => {
    const watch = await client.watch(`${configMaps}?watch=1&timeoutSeconds=150&allowWatchBookmarks=true`);
    expect(seen(await watch.next())).toBe('BOOKMARK');
    await create('a');
    expect(seen(await watch.next())).toBe('ADDED a');
    for (const milliseconds of [60_000, 60_000, 28_000]) {
      await clock.advance(milliseconds);
      const bookmark = await watch.next();
      expect(seen(bookmark)).toBe('BOOKMARK');
      expect(bookmark?.object.metadata.resourceVersion).toBe(String(server.storage.revision));
    }
    await clock.advance(2_000);
    expect(await watch.next()).toBeUndefined();
    expect(await watch.ended).toBe('closed');
  });

  test('watches cut by the test -> connection reset, server goes on', async () => {
    const watch = await client.watch(`${configMaps}?watch=1`);
    server.cutWatches();
    expect(await watch.ended).toBe('reset');
    await create('a');
  });

  test('events of another namespace -> not seen', async () => {
    await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    const watch = await client.watch(`${configMaps}?watch=1&resourceVersion=${server.storage.revision}`);
    await client.send('POST', '/api/v1/namespaces/other/configmaps', { metadata: { name: 'x' } });
    await create('mine');
    expect(seen(await watch.next())).toBe('ADDED mine');
    watch.stop();
  });
});
