import { afterEach, describe, expect, test } from '@jest/globals';
import { leases, persistentVolumeClaims, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { Registry } from 'prom-client';
import type { ApiClient } from '../../src/client/api-client.ts';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { EndlessListError } from '../../src/client/endless-list.ts';
import { find } from '../../src/client/find.ts';
import { guardedWrite } from '../../src/client/guarded-write.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { encodeEvent, encodeList, encodeObject, encodeStruct } from '../wire/go-encoder.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, startLocalServer, type Answer, type LocalServer } from './local-server.ts';

/*
 * What a proxy that mixes up answers sends, or one that answers for the API server: each is a whole and well-formed
 * answer, and not the one to what was asked. Believed, it says that an object is gone, or all of them.
 */

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

interface Stage {
  readonly client: ApiClient;
  readonly server: LocalServer;
  readonly registry: Registry;
}

async function start(answer: Answer): Promise<Stage> {
  const server = await startLocalServer(answer);
  const registry = new Registry();
  const client = createLocalClient(server, {
    metrics: createClientMetrics(registry, 'cluster'),
    mostPages: 10,
  });
  opened.push(server, client);
  return { client, server, registry };
}

const startJson = (body: unknown, code = 200): Promise<Stage> =>
  start((response) => answerJson(response, code, body));
/** A watch of one event. */
const startLine = (event: unknown): Promise<Stage> =>
  start((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(event)}\n`);
  });
const startProtobuf = (body: Buffer): Promise<Stage> =>
  start((response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf' }).end(body);
  });

const ref = { namespace: 'shop', name: 'data' };
const slim = createProjection(persistentVolumeClaims, { spec: { volumeName: true } });
const metadata = { ...ref, uid: 'uid-1', resourceVersion: '7' };
const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata };
const pod = { ...claim, kind: 'Pod' };
const success = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' };
const encoded = (kind: string, namespace = 'shop'): Buffer =>
  encodeObject(
    'v1',
    kind,
    encodeStruct('core.v1.PersistentVolumeClaim', { metadata: { ...metadata, namespace } }),
  );
const listOf = (kind: string, items: readonly object[], rest = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { resourceVersion: '9', ...rest },
  items,
});
const watch = (client: ApiClient, seen: unknown[] = []): Promise<void> =>
  client.watch(
    persistentVolumeClaims,
    {
      projection: slim,
      timeoutSeconds: 30,
      silenceLimit: 30_000,
      signal: new AbortController().signal,
      onUnreadable: (problem) => seen.push(problem),
    },
    (event) => seen.push(event),
  );

describe('B1: an object', () => {
  test.each([
    { what: 'of another kind', body: pod },
    { what: 'of another namespace', body: { ...claim, metadata: { ...metadata, namespace: 'other' } } },
    { what: 'of another name', body: { ...claim, metadata: { ...metadata, name: 'other' } } },
    { what: 'that says how it went', body: success },
    { what: 'without anything', body: {} },
  ])('$what is answered -> neither read nor taken for written', async ({ body }) => {
    const { client } = await startJson(body);
    await expect(client.get(persistentVolumeClaims, ref)).rejects.toThrow(/answered with/);
    await expect(client.get(persistentVolumeClaims, ref, { projection: slim })).rejects.toThrow(
      /answered with/,
    );
    const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, []));
    expect(written).toMatchObject({ kind: 'failed' });
  });

  test.each([
    { what: 'of another kind', body: encoded('Pod') },
    { what: 'of another namespace', body: encoded('PersistentVolumeClaim', 'other') },
  ])('$what is answered in protobuf -> not read', async ({ body }) => {
    const { client } = await startProtobuf(body);
    await expect(client.get(persistentVolumeClaims, ref, { projection: slim })).rejects.toThrow(
      /answered with/,
    );
  });

  test('that was asked for is answered -> read, in JSON and in protobuf', async () => {
    for (const { client } of [await startJson(claim), await startProtobuf(encoded(claim.kind))]) {
      const { metadata } = await client.get(persistentVolumeClaims, ref, { projection: slim });
      expect(metadata).toMatchObject(ref);
    }
  });

  test('of another kind is answered to what makes a lease -> not made', async () => {
    const { client } = await startJson(success, 201);
    await expect(client.create(leases, 'shop', { metadata: { name: 'lock' } })).rejects.toThrow(
      /answered with a Status/,
    );
  });

  test.each([203, 204, 206])('is answered with %i -> not read: it might be a part', async (code) => {
    const { client } = await startJson(claim, code);
    await expect(client.get(persistentVolumeClaims, ref)).rejects.toThrow(String(code));
  });
});

describe('B1: 404 that names', () => {
  const notFound = (details: object) => ({
    ...success,
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    details,
  });

  test.each([
    { what: 'another object', details: { name: 'other', kind: 'persistentvolumeclaims' } },
    { what: 'another kind', details: { name: 'data', kind: 'pods' } },
  ])('$what -> the object is not taken for gone', async ({ details }) => {
    const { client } = await startJson(notFound(details), 404);
    await expect(find(client, persistentVolumeClaims, ref)).rejects.toThrow(/404/);
  });

  test.each([
    { what: 'another object', details: { name: 'other', kind: 'persistentvolumeclaims' }, kind: 'failed' },
    // An object can be left over when its namespace is removed by force.
    { what: 'the namespace', details: { name: 'shop', kind: 'namespaces' }, kind: 'failed' },
    { what: 'the object', details: { name: 'data', kind: 'persistentvolumeclaims' }, kind: 'gone' },
    { what: 'nothing', details: {}, kind: 'gone' },
  ])('$what is answered to a patch or a delete -> $kind', async ({ details, kind }) => {
    const { client } = await startJson(notFound(details), 404);
    for (const write of [
      () => client.patch(persistentVolumeClaims, ref, []),
      () => client.patch(persistentVolumeClaims, ref, [], { subresource: 'status' }),
      () => client.delete(persistentVolumeClaims, ref),
    ]) {
      expect(await guardedWrite<unknown>(write)).toMatchObject({ kind });
    }
  });

  test.each([
    { what: 'the object', details: { name: 'data', kind: 'persistentvolumeclaims' } },
    { what: 'nothing', details: {} },
  ])('$what -> it is gone', async ({ details }) => {
    const { client } = await startJson(notFound(details), 404);
    expect(await find(client, persistentVolumeClaims, ref)).toBeUndefined();
  });
});

describe('B1: a list', () => {
  test.each([
    { what: 'of another kind', body: listOf('PodList', [claim]) },
    { what: 'of nothing of another kind', body: listOf('PodList', []) },
    { what: 'whose objects are of another kind', body: listOf('PersistentVolumeClaimList', [pod]) },
    {
      what: 'at version 0, which is none',
      body: listOf('PersistentVolumeClaimList', [], { resourceVersion: '0' }),
    },
  ])('$what is answered -> not read', async ({ body }) => {
    const { client } = await startJson(body);
    const onUnreadable = (): void => undefined;
    await expect(client.list(persistentVolumeClaims, { projection: slim, onUnreadable })).rejects.toThrow(
      /answered with/,
    );
  });

  test('of another kind is answered in protobuf -> not read', async () => {
    const { client } = await startProtobuf(encodeList('v1', 'Pod', { resourceVersion: '9' }, []));
    await expect(client.list(persistentVolumeClaims, { projection: slim })).rejects.toThrow(/answered with/);
  });

  test('of a custom kind is called otherwise by its definition -> read', async () => {
    const caches: ApiResource<KubernetesObject> = {
      group: 'example.com',
      version: 'v1',
      kind: 'Cache',
      plural: 'caches',
      namespaced: true,
    };
    const body = { ...listOf('CachesList', [{ ...claim, kind: 'Cache' }]), apiVersion: 'example.com/v1' };
    const { client } = await startJson(body);
    expect((await client.list(caches)).items).toHaveLength(1);
  });

  test('B2: that goes on is answered to who asked for all -> not taken for all', async () => {
    const { client } = await startJson(listOf('PersistentVolumeClaimList', [claim], { continue: 'more' }));
    await expect(client.list(persistentVolumeClaims)).rejects.toThrow(/answered with/);
    expect((await client.list(persistentVolumeClaims, { limit: 1 })).items).toHaveLength(1);
  });
});

describe('B3: a list that never ends', () => {
  const pagesOf = async (client: ApiClient): Promise<number> => {
    let pages = 0;
    for await (const page of client.listPages(persistentVolumeClaims, {})) {
      pages += page.items.length;
    }
    return pages;
  };
  const endless = (token: (number: number) => string): Promise<Stage> =>
    start((response, _request, number) => {
      answerJson(response, 200, listOf('PersistentVolumeClaimList', [], { continue: token(number) }));
    });

  test.each([
    { what: 'the same token each time', token: () => 'again', requests: 2 },
    { what: 'two tokens in turn', token: (number: number) => `token ${String(number % 2)}`, requests: 3 },
    { what: 'another token each time', token: (number: number) => `token ${String(number)}`, requests: 10 },
  ])('$what -> given up by name, and counted', async ({ token, requests }) => {
    const { client, server, registry } = await endless(token);
    await expect(pagesOf(client)).rejects.toThrow(EndlessListError);
    expect(server.requests.length).toBeLessThanOrEqual(requests);
    expect(await registry.metrics()).toContain('rest_client_endless_lists_total{host="cluster"} 1');
  });
});

describe('B1: a watch', () => {
  const event = { type: 'DELETED', object: pod };

  test('brings an object of another kind -> ended, and nothing is taken for changed', async () => {
    const { client } = await startLine(event);
    const seen: unknown[] = [];
    await expect(watch(client, seen)).rejects.toThrow(/answered with a Pod/);
    expect(seen).toStrictEqual([]);
  });

  test('brings one in protobuf -> likewise', async () => {
    const { client } = await startProtobuf(encodeEvent('DELETED', encoded('Pod')));
    const seen: unknown[] = [];
    await expect(watch(client, seen)).rejects.toThrow(/answered with a Pod/);
    expect(seen).toStrictEqual([]);
  });

  test('brings a bookmark of version 0, which is none -> ended', async () => {
    const { client } = await startLine({
      type: 'BOOKMARK',
      object: { kind: claim.kind, metadata: { resourceVersion: '0' } },
    });
    await expect(watch(client)).rejects.toThrow(/no resourceVersion/);
  });
});
