import { afterEach, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf } from './client.ts';

/* What no other back end can be asked for; the story of a custom kind is told in packages/testing/test/comparison. */

let server: ApiServer | undefined;
afterEach(() => server?.stop());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/example.com/v1/things';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 3 } } } },
          },
        },
      },
    ],
  },
};
const thing = (name: string, size: number): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec: { size },
});

async function send(
  to: ApiServer,
  method: string,
  path: string,
  body?: object,
): Promise<{ code: number; body: unknown }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await to.handle(method, path, body === undefined ? undefined : JSON.stringify(body), type);
  return {
    code: answer.code,
    body: answer.body.startsWith('{') ? (JSON.parse(answer.body) as unknown) : answer.body,
  };
}

test('definition created -> its kind is served to the next request', async () => {
  server = await startApiServer({ tls: false });
  await send(server, 'POST', definitions, definition);
  expect(await send(server, 'POST', things, thing('a', 1))).toMatchObject({ code: 201 });
});

test('server restarted on its storage -> the kind is served, its objects are there', async () => {
  const first = await startApiServer({ tls: false });
  await send(first, 'POST', definitions, definition);
  await send(first, 'POST', things, thing('a', 1));
  await first.stop();
  server = await startApiServer({ tls: false, storage: first.storage });
  expect(await send(server, 'GET', `${things}/a`)).toMatchObject({ code: 200, body: { spec: { size: 1 } } });
});

test('two servers, a definition in one -> the other does not serve it', async () => {
  const other = await startApiServer({ tls: false });
  server = await startApiServer({ tls: false });
  await send(server, 'POST', definitions, definition);
  expect(await send(other, 'GET', things)).toMatchObject({ code: 404 });
  await other.stop();
});

test('schema narrowed, object is wrong by now -> may be changed elsewhere, not made worse', async () => {
  server = await startApiServer({ tls: false });
  await send(server, 'POST', definitions, definition);
  await send(server, 'POST', things, thing('a', 3));
  const [version] = definition.spec.versions;
  const spec = { type: 'object', properties: { size: { type: 'integer', maximum: 1 } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  await send(server, 'PATCH', `${definitions}/things.example.com`, {
    spec: { versions: [{ ...version, schema }] },
  });
  const labelled = await send(server, 'PATCH', `${things}/a`, { metadata: { labels: { a: 'b' } } });
  const worse = await send(server, 'PATCH', `${things}/a`, { spec: { size: 4 } });
  expect([labelled.code, worse.code]).toEqual([200, 422]);
});

test('definition whose objects are held, deleted while the server is down -> gone after they are', async () => {
  const first = await startApiServer({ tls: false });
  await send(first, 'POST', definitions, definition);
  await send(first, 'POST', things, {
    ...thing('a', 1),
    metadata: { name: 'a', finalizers: ['example.com/x'] },
  });
  await send(first, 'DELETE', `${definitions}/things.example.com`);
  await first.stop();
  server = await startApiServer({ tls: false, storage: first.storage });
  await send(server, 'PATCH', `${things}/a`, { metadata: { finalizers: null } });
  await new Promise((resolve) => setImmediate(resolve));
  expect(await send(server, 'GET', `${definitions}/things.example.com`)).toMatchObject({ code: 404 });
  expect(await send(server, 'GET', things)).toMatchObject({ code: 404 });
});

test('object that was watched, its definition changed -> the watch ends, the next one shows it by the new schema', async () => {
  server = await startApiServer({ tls: false });
  const client = clientOf(server);
  await send(server, 'POST', definitions, definition);
  await send(server, 'POST', things, thing('a', 1));
  const before = await client.watch(`${things}?watch=true`);
  expect((await before.next())?.object.spec).toEqual({ size: 1 });
  const [version] = definition.spec.versions;
  const properties = { size: { type: 'integer' }, shape: { type: 'string', default: 'round' } };
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  };
  await send(server, 'PATCH', `${definitions}/things.example.com`, {
    spec: { versions: [{ ...version, schema }] },
  });
  expect(await before.ended).toBe('closed');
  const after = await client.watch(`${things}?watch=true`);
  expect((await after.next())?.object.spec).toEqual({ size: 1, shape: 'round' });
  after.stop();
});

test('definition labelled -> watches of its kind go on', async () => {
  server = await startApiServer({ tls: false });
  const client = clientOf(server);
  await send(server, 'POST', definitions, definition);
  await send(server, 'GET', things);
  const watch = await client.watch(`${things}?watch=true`);
  await send(server, 'PATCH', `${definitions}/things.example.com`, { metadata: { labels: { a: 'b' } } });
  await send(server, 'POST', things, thing('a', 1));
  expect((await watch.next())?.object.metadata.name).toBe('a');
  watch.stop();
});

test('object of an earlier version, the storage version changed -> no defaults of the new version until it is written', async () => {
  server = await startApiServer({ tls: false });
  await send(server, 'POST', definitions, definition);
  await send(server, 'POST', things, thing('a', 1));
  const [version] = definition.spec.versions;
  const properties = { size: { type: 'integer' }, shape: { type: 'string', default: 'round' } };
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  };
  await send(server, 'PATCH', `${definitions}/things.example.com`, {
    spec: {
      versions: [
        { ...version, storage: false },
        { ...version, name: 'v2', schema },
      ],
    },
  });
  const ofV2 = `${things.replace('/v1/', '/v2/')}/a`;
  expect(await send(server, 'GET', ofV2)).toMatchObject({ body: { spec: { size: 1 } } });
  expect((await send(server, 'GET', ofV2)).body).not.toHaveProperty('spec.shape');
  await send(server, 'PATCH', ofV2, { metadata: { labels: { a: 'b' } } });
  const { body } = await send(server, 'GET', ofV2);
  expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 1, shape: 'round' } });
});
