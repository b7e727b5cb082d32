import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import type { ApiClient, WatchEvent } from '../../src/client/api-client.ts';
import { ApiError, isGone, isInvalid } from '../../src/client/api-error.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { claim } from '../claim.ts';
import { encodeEvent, encodeList, encodeObject, encodeStruct } from '../wire/go-encoder.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, answerStatus, startLocalServer, type Answer, type LocalServer } from './local-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

async function start(answer: Answer): Promise<{ client: ApiClient; server: LocalServer }> {
  const server = await startLocalServer(answer);
  const client = createLocalClient(server);
  opened.push(server, client);
  return { client, server };
}

const projection = createProjection(persistentVolumeClaims, {
  metadata: { finalizers: true },
  spec: { storageClassName: true },
});

const protobuf = 'application/vnd.kubernetes.protobuf';
const withClass = (name: string, version: number): PersistentVolumeClaim => ({
  ...claim(name, version, { finalizers: ['a/b'], labels: { app: 'web' } }),
  spec: { storageClassName: '' },
});
const kept = (name: string, version: number): PersistentVolumeClaim => ({
  ...claim(name, version, { finalizers: ['a/b'] }),
  spec: { storageClassName: '' },
});
const encoded = (object: object): Buffer =>
  encodeStruct('core.v1.PersistentVolumeClaim', object as Readonly<Record<string, unknown>>);
const event = (type: string, object: PersistentVolumeClaim): Buffer =>
  encodeEvent(type, encodeObject('v1', 'PersistentVolumeClaim', encoded(object)));
const status = (fields: Readonly<Record<string, unknown>>): Buffer =>
  encodeObject('v1', 'Status', encodeStruct('meta.v1.Status', { status: 'Failure', ...fields }));

describe('list', () => {
  test('with a projection -> protobuf is asked for, JSON taken too', async () => {
    const { client, server } = await start((response) =>
      answerJson(response, 200, { metadata: { resourceVersion: '9' }, items: [withClass('a', 3)] }),
    );
    expect(await client.list(persistentVolumeClaims, { projection })).toEqual({
      metadata: { resourceVersion: '9' },
      items: [kept('a', 3)],
    });
    expect(server.requests[0]?.headers.accept).toBe(`${protobuf},application/json`);
  });

  test('projection that JSON alone can read -> JSON is asked for', async () => {
    const { client, server } = await start((response) =>
      answerJson(response, 200, { metadata: { resourceVersion: '9' }, items: [withClass('a', 3)] }),
    );
    const { fromJson } = projection;
    const { items } = await client.list(persistentVolumeClaims, { projection: { fromJson } });
    expect(items).toEqual([kept('a', 3)]);
    expect(server.requests[0]?.headers.accept).toBe('application/json');
  });

  test('pages in protobuf -> followed to the end', async () => {
    const { client, server } = await start((response, _request, number) =>
      response
        .writeHead(200, { 'content-type': protobuf })
        .end(
          number === 0
            ? encodeList(
                'v1',
                'PersistentVolumeClaim',
                { resourceVersion: '9', continue: 'next', remainingItemCount: 1 },
                [encoded(withClass('a', 3)), encoded(withClass('b', 4))],
              )
            : encodeList('v1', 'PersistentVolumeClaim', { resourceVersion: '9' }, [
                encoded(withClass('c', 5)),
              ]),
        ),
    );
    const pages = [];
    for await (const page of client.listPages(persistentVolumeClaims, { limit: 2, projection })) {
      pages.push(page);
    }
    expect(pages).toEqual([
      {
        metadata: { resourceVersion: '9', continue: 'next', remainingItemCount: 1 },
        items: [kept('a', 3), kept('b', 4)],
      },
      { metadata: { resourceVersion: '9' }, items: [kept('c', 5)] },
    ]);
    expect(server.requests[1]?.url).toContain('continue=next');
  });

  test('refusal in protobuf -> typed, with all that it says', async () => {
    const details = {
      name: 'a',
      kind: 'claims',
      causes: [{ reason: 'FieldValueForbidden', message: 'no', field: 'limit' }],
    };
    const { client } = await start((response) =>
      response
        .writeHead(422, { 'content-type': protobuf })
        .end(status({ reason: 'Invalid', message: 'it is', code: 422, details })),
    );
    const error = await client
      .list(persistentVolumeClaims, { projection })
      .catch((caught: unknown) => caught);
    expect(isInvalid(error)).toBe(true);
    expect(error).toMatchObject({ reason: 'Invalid', status: { kind: 'Status', message: 'it is', details } });
  });

  test.each([
    ['nothing', ''],
    ['something else', '<html>not the API server</html>'],
  ])('protobuf that is %s -> an error', async (_what, body) => {
    const { client } = await start((response) =>
      response.writeHead(200, { 'content-type': protobuf }).end(body),
    );
    await expect(client.list(persistentVolumeClaims, { projection })).rejects.toThrow('protobuf');
  });
});

describe('patch', () => {
  const ref = { namespace: 'shop', name: 'a' };

  test.each<{ form: string; type: string; body: Buffer | string }>([
    {
      form: 'protobuf',
      type: protobuf,
      body: encodeObject('v1', 'PersistentVolumeClaim', encoded(withClass('a', 3))),
    },
    { form: 'JSON', type: 'application/json', body: JSON.stringify(withClass('a', 3)) },
  ])('with a projection, answered in $form -> the fields kept', async ({ type, body }) => {
    const { client, server } = await start((response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    expect(await client.patch(persistentVolumeClaims, ref, [], { projection })).toEqual(kept('a', 3));
    expect(server.requests[0]?.headers).toMatchObject({
      accept: `${protobuf},application/json`,
      'content-type': 'application/json-patch+json',
    });
  });
});

describe('watch', () => {
  const watch = (client: ApiClient, onEvent: (event: WatchEvent<PersistentVolumeClaim>) => void) =>
    client.watch(
      persistentVolumeClaims,
      {
        projection,
        sendInitialEvents: true,
        timeoutSeconds: 40,
        silenceLimit: 5_000,
        signal: new AbortController().signal,
      },
      onEvent,
    );
  const marked = { ...claim('', 9), metadata: { resourceVersion: '9' } };
  const endOfList = {
    metadata: { ...marked.metadata, annotations: { 'k8s.io/initial-events-end': 'true' } },
  };

  test.each<{ form: string; body: readonly (string | Buffer)[]; type: string }>([
    {
      form: 'protobuf',
      type: `${protobuf};stream=watch`,
      body: [
        event('ADDED', withClass('a', 3)),
        event('MODIFIED', withClass('a', 4)),
        event('DELETED', withClass('a', 5)),
        event('BOOKMARK', marked as PersistentVolumeClaim),
        event('BOOKMARK', endOfList as unknown as PersistentVolumeClaim),
      ],
    },
    {
      form: 'JSON',
      type: 'application/json',
      body: [
        ['ADDED', withClass('a', 3)],
        ['MODIFIED', withClass('a', 4)],
        ['DELETED', withClass('a', 5)],
        ['BOOKMARK', marked],
        ['BOOKMARK', endOfList],
      ].map(([type, object]) => `${JSON.stringify({ type, object })}\n`),
    },
  ])('events in $form, in small chunks -> the fields kept, in order', async ({ type, body }) => {
    const { client, server } = await start((response) => {
      response.writeHead(200, { 'content-type': type });
      const bytes = Buffer.concat(body.map((part) => Buffer.from(part)));
      for (let start = 0; start < bytes.length; start += 7) {
        response.write(bytes.subarray(start, start + 7));
      }
      response.end();
    });
    const events: unknown[] = [];
    await watch(client, (each) => events.push(each));
    expect(events).toEqual([
      { type: 'ADDED', object: kept('a', 3) },
      { type: 'MODIFIED', object: kept('a', 4) },
      { type: 'DELETED', object: kept('a', 5) },
      { type: 'BOOKMARK', resourceVersion: '9' },
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
    ]);
    const query = new URL(server.requests[0]?.url ?? '', server.origin).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    expect(query.has('resourceVersion')).toBe(false);
  });

  test('ERROR in protobuf -> thrown as what it is', async () => {
    const { client } = await start((response) =>
      response
        .writeHead(200, { 'content-type': `${protobuf};stream=watch` })
        .write(encodeEvent('ERROR', status({ reason: 'Expired', message: 'too old', code: 410 }))),
    );
    const error = await watch(client, () => undefined).catch((caught: unknown) => caught);
    expect(isGone(error)).toBe(true);
  });

  test('of an unknown type -> thrown', async () => {
    const { client } = await start((response) =>
      response
        .writeHead(200, { 'content-type': `${protobuf};stream=watch` })
        .write(event('RENAMED', withClass('a', 3))),
    );
    await expect(watch(client, () => undefined)).rejects.toThrow('RENAMED');
  });

  test('refusal in JSON -> typed', async () => {
    const { client } = await start((response) => answerStatus(response, 422, 'Invalid'));
    const error = await watch(client, () => undefined).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(isInvalid(error)).toBe(true);
  });
});
