import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configMaps, namespaces } from '@holdfast/core';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createCluster } from '../../src/perturbation/cluster.ts';
import { createPlaces } from '../../src/perturbation/place.ts';
import { startProxy, type Proxy, type Treatment } from '../../src/perturbation/proxy.ts';

/*
 * The cache of an API server that is behind, as the proxy shows it: the first config map is seen, the second is not
 * there yet.
 */

interface Line {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly code?: number;
    readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
  };
}

const path = '/api/v1/namespaces/shop/configmaps';
let plane: EmbeddedControlPlane;
let proxy: Proxy;
let token: string;
let view: number | undefined;
let held: (revision: number) => boolean;
let before: Treatment;
let after: Treatment;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  ({ token } = (JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] }).users[0].user);
  view = undefined;
  held = () => false;
  before = { kind: 'pass' };
  after = { kind: 'pass' };
  proxy = await startProxy({
    upstream: plane.url,
    placeOf: createPlaces(),
    view: () => view,
    hooks: {
      before: () => Promise.resolve(before),
      after: () => Promise.resolve(after),
      mayPass: ({ revision, isInitial }) => isInitial || (revision <= (view ?? Infinity) && !held(revision)),
      passed: () => undefined,
      stirred: () => undefined,
    },
  });
  const cluster = createCluster(plane);
  await cluster.create(namespaces, { metadata: { name: 'shop' } });
  await cluster.create(configMaps, { metadata: { name: 'first' } }, 'shop');
});

afterEach(async () => {
  await proxy.close();
  await plane.stop();
});

const add = (name: string) => createCluster(plane).create(configMaps, { metadata: { name } }, 'shop');

async function get(query = ''): Promise<unknown> {
  const response = await fetch(`${proxy.url}${path}${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.kubernetes.protobuf' },
  });
  return response.json();
}

async function names(query = ''): Promise<readonly string[]> {
  const { items } = (await get(query)) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

/** The lines of a watch: `next` waits for as many. */
async function watch(
  query: string,
): Promise<{ next(count: number): Promise<readonly string[]>; end(): void }> {
  const stop = new AbortController();
  const response = await fetch(`${proxy.url}${path}?watch=true&${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    next: async (count) => {
      while (text.split('\n').length <= count) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) {
          break;
        }
        text += value;
      }
      const lines = text.split('\n');
      text = lines.slice(count).join('\n');
      return lines.slice(0, count).map((line) => {
        const { type, object } = JSON.parse(line) as Line;
        const isEnd = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
        return [type, object.metadata.name, object.code, isEnd ? 'end' : undefined]
          .filter((part) => part !== undefined)
          .join(' ');
      });
    },
    end: () => stop.abort(),
  };
}

describe('an API server whose cache is behind', () => {
  test('list at version 0 -> as the cache stands; list and get without a version -> the newest state', async () => {
    view = plane.apiServer.storage.revision;
    await add('second');
    expect(await names('?resourceVersion=0')).toEqual(['first']);
    expect(await names('?resourceVersion=0&limit=1')).toEqual(['first']);
    expect(await names()).toEqual(['first', 'second']);
    view = undefined;
    expect(await names('?resourceVersion=0')).toEqual(['first', 'second']);
  });

  test('streamed list -> as the cache stands, with its end; what came since follows when it has caught up', async () => {
    view = plane.apiServer.storage.revision;
    await add('second');
    const stream = await watch(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    expect(await stream.next(2)).toEqual(['ADDED first', 'BOOKMARK end']);
    view = undefined;
    proxy.flush();
    expect(await stream.next(1)).toEqual(['ADDED second']);
    stream.end();
  });
});

describe('a write that is treated', () => {
  const answer: Treatment = {
    kind: 'answer',
    answer: { code: 504, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') },
  };

  /** The code of the answer, or that the connection was broken off; and whether the server has carried it out. */
  async function write(): Promise<readonly [answer: number | string, isThere: boolean]> {
    const answered = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'written' } }),
    }).then(
      ({ status }) => status,
      () => 'broken off',
    );
    return [answered, (await plane.apiServer.handle('GET', `${path}/written`)).code === 200];
  }

  test('before the server has it: answered, cut -> the server never gets it', async () => {
    before = answer;
    expect(await write()).toEqual([504, false]);
    before = { kind: 'reset' };
    expect(await write()).toEqual(['broken off', false]);
  });

  test.each([
    ['answered', answer, 504],
    ['cut', { kind: 'reset' }, 'broken off'],
  ] as const)('after the server has it: %s -> carried out all the same', async (_, treatment, answered) => {
    after = treatment;
    expect(await write()).toEqual([answered, true]);
  });

  test('a watch, answered -> refused', async () => {
    before = answer;
    const response = await fetch(`${proxy.url}${path}?watch=true`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(504);
  });
});

describe('an event that is held', () => {
  test('let go -> it and what is behind it arrive in order', async () => {
    const stream = await watch(`resourceVersion=${String(plane.apiServer.storage.revision)}`);
    held = () => true;
    await add('second');
    await add('third');
    held = () => false;
    proxy.flush();
    expect(await stream.next(2)).toEqual(['ADDED second', 'ADDED third']);
    stream.end();
  });

  test('ended by 410 -> it never arrives', async () => {
    const stream = await watch(`resourceVersion=${String(plane.apiServer.storage.revision)}`);
    held = () => true;
    await add('second');
    while (!proxy.isHolding) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    proxy.expireHeld();
    expect(await stream.next(1)).toEqual(['ERROR 410']);
    expect(proxy.isHolding).toBe(false);
    stream.end();
  });
});

test('a watch that was opened and has ended -> not level, until it is opened again', async () => {
  const isLevel = (): boolean => proxy.areWatchesLevel(() => true);
  expect(isLevel()).toBe(true);
  const first = await watch('resourceVersion=1');
  expect(isLevel()).toBe(true);
  first.end();
  while (isLevel()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const second = await watch('resourceVersion=1');
  expect(isLevel()).toBe(true);
  second.end();
});
