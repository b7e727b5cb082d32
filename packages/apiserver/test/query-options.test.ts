import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { configMaps } from './client.ts';

// The answers are those of kube-apiserver 1.36.3.

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

interface Answer {
  readonly code: number;
  readonly type: string | null;
  readonly text: string;
}

async function send(path: string, options: RequestInit & { readonly accept?: string } = {}): Promise<Answer> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const { accept = 'application/json', ...rest } = options;
  const answer = await fetch(server.url + path, {
    ...rest,
    headers: {
      authorization: `Bearer ${users[0]?.user.token ?? ''}`,
      'content-type': 'application/json',
      accept,
    },
  });
  return { code: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

const messageOf = ({ text }: Answer): unknown => (JSON.parse(text) as { message?: unknown }).message;
const create = { method: 'POST', body: '{"metadata":{"name":"q"}}' };
const head = 'CreateOptions.meta.k8s.io "" is invalid';

describe('options of a write', () => {
  test.each([
    [
      'fieldManager of 129 bytes',
      `fieldManager=${'x'.repeat(129)}`,
      422,
      `${head}: fieldManager: Too long: may not be more than 128 bytes`,
    ],
    [
      'fieldManager with a control character',
      'fieldManager=a%0Ab',
      422,
      `${head}: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)`,
    ],
    ['empty dryRun', 'dryRun=', 422, `${head}: dryRun: Unsupported value: [""]: supported values: "All"`],
    [
      'timeout that is no duration',
      'timeout=abc',
      400,
      'invalid timeout specified in the request URL - time: invalid duration "abc"',
    ],
  ])('%s -> refused', async (_, query, code, message) => {
    const answer = await send(`${configMaps}?${query}`, create);
    expect({ code: answer.code, message: messageOf(answer) }).toEqual({ code, message });
  });

  test.each(['timeout=1s', 'timeout=1m30.5s', 'fieldManager=', 'unknown=1'])('%s -> taken', async (query) => {
    expect((await send(`${configMaps}?dryRun=All&${query}`, create)).code).toBe(201);
  });
});

describe('options of a read', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  test.each([configMaps, '/api/v1/namespaces/default'])(
    '%s as a Table with unknown includeObject -> refused',
    async (path) => {
      const answer = await send(`${path}?includeObject=Foo`, { accept: table });
      expect({ code: answer.code, message: messageOf(answer) }).toEqual({
        code: 400,
        message: `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`,
      });
    },
  );

  test('unknown includeObject, no Table -> ignored', async () => {
    expect((await send(`${configMaps}?includeObject=Foo`)).code).toBe(200);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['maybe', false],
    ['false', false],
  ])('pretty=%s -> indented: %s', async (pretty, isIndented) => {
    const { text } = await send(`/api/v1/namespaces/default?pretty=${pretty}`);
    expect(text.includes('\n  "kind"')).toBe(isIndented);
  });
});

describe('Accept: application/yaml', () => {
  test('object, list, Status, discovery -> YAML', async () => {
    for (const [path, expected] of [
      ['/api/v1/namespaces/default', { kind: 'Namespace', metadata: { name: 'default' } }],
      ['/api/v1/namespaces', { kind: 'NamespaceList' }],
      ['/api/v1/namespaces/none', { kind: 'Status', code: 404, message: 'namespaces "none" not found' }],
      ['/apis', { kind: 'APIGroupList' }],
    ] as const) {
      const { type, text } = await send(path, { accept: 'application/yaml' });
      expect(type).toBe('application/yaml');
      expect(load(text)).toMatchObject(expected);
    }
  });

  test('JSON is preferred -> JSON', async () => {
    const { type } = await send('/api/v1/namespaces/default', {
      accept: 'application/yaml;q=0.5,application/json',
    });
    expect(type).toBe('application/json');
  });

  test('keys in order, lists at the depth of their keys, as Go writes it', async () => {
    const { text } = await send('/apis/apps/v1', { accept: 'application/yaml' });
    expect(text.slice(0, 62)).toBe('apiVersion: v1\ngroupVersion: apps/v1\nkind: APIResourceList\nres');
    expect(text).toContain('\nresources:\n- ');
  });
});

test('CBOR alone -> 406 that names what is served', async () => {
  const answer = await send(configMaps, { accept: 'application/cbor' });
  expect({ code: answer.code, message: messageOf(answer) }).toEqual({
    code: 406,
    message:
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  });
});
