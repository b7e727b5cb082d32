import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* Fields that a body gives twice, as `fieldValidation` has them judged. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await server.handle('POST', deployments, JSON.stringify(JSON.parse(deployment('present', '"replicas":1'))));
  await server.handle(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    JSON.stringify({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
              },
            },
          },
        ],
      },
    }),
  );
});
afterAll(() => server.stop());

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

function deployment(name: string, fields: string, metadata = ''): string {
  return `{"metadata":{"name":"${name}"${metadata}},"spec":{${fields},"selector":{"matchLabels":{"app":"shop"}},
    "template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`;
}

interface Heard {
  readonly code: number;
  readonly message: string | undefined;
  readonly warnings: string | null;
}

async function send(
  method: string,
  path: string,
  validation: string,
  body: string,
  type = 'application/json',
): Promise<Heard> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const answer = await fetch(`${server.url}${path}?dryRun=All&fieldValidation=${validation}`, {
    method,
    headers: { authorization: `Bearer ${users[0]?.user.token ?? ''}`, 'content-type': type },
    body,
  });
  const { message } = (await answer.json()) as { message?: string };
  return { code: answer.status, message, warnings: answer.headers.get('warning') };
}

describe('field given twice', () => {
  const twice = deployment('two', '"odd":{"a":1,"a":2},"replicas":2,"replicas":3');

  test('strict -> refused, with the unknown fields in the order of the text', async () => {
    await expect(send('POST', deployments, 'Strict', twice)).resolves.toMatchObject({
      code: 400,
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.odd", duplicate field "spec.replicas"',
    });
  });

  test('warn -> taken with a warning for each', async () => {
    await expect(send('POST', deployments, 'Warn', twice)).resolves.toMatchObject({
      code: 201,
      warnings: '299 - "unknown field \\"spec.odd\\"", 299 - "duplicate field \\"spec.replicas\\""',
    });
  });

  test('ignore -> taken in silence', async () => {
    await expect(send('POST', deployments, 'Ignore', twice)).resolves.toMatchObject({
      code: 201,
      warnings: null,
    });
  });

  test.each([
    ['in a map', deployment('two', '"replicas":1', ',"labels":{"a":"b","a":"c"}'), 'metadata.labels.a'],
    [
      'in an item of a list',
      deployment('two', '"replicas":1').replace('"image":"a"', '"image":"a","image":"b"'),
      'spec.template.spec.containers[0].image',
    ],
    [
      'behind a text that looks like fields',
      deployment('two', '"paused":true,"paused":true', ',"annotations":{"a":"\\"b\\": {\\"b\\": ["}'),
      'spec.paused',
    ],
    [
      'that ends with a backslash',
      deployment('two', '"replicas":1', String.raw`,"annotations":{"a\\":"b","a\\":"c"}`),
      String.raw`metadata.annotations.a\\`,
    ],
    ['written otherwise', deployment('two', '"paused":true,"p\\u0061used":true'), 'spec.paused'],
  ])('%s -> named by its path', async (_where, body, path) => {
    const { message } = await send('POST', deployments, 'Strict', body);
    expect(message).toMatch(new RegExp(`strict decoding error: duplicate field "${escaped(path)}"$`));
  });

  test('the same field of two objects -> taken', async () => {
    await expect(
      send('POST', deployments, 'Strict', deployment('two', '"replicas":1')),
    ).resolves.toMatchObject({
      code: 201,
      warnings: null,
    });
  });

  // As kube-apiserver 1.36.3 answers: it decodes the second value onto the first.
  test.each<[string, string, object]>([
    [
      'maps -> the keys of both',
      '{"metadata":{"name":"m","labels":{"a":"1","c":"1"}},"metadata":{"labels":{"b":"2","c":"2"}},"data":{"x":"1","x":"2"}}',
      { metadata: { name: 'm', labels: { a: '1', b: '2', c: '2' } }, data: { x: '2' } },
    ],
    [
      'lists -> the second, with what it does not say of its items',
      '{"metadata":{"name":"m","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"kind":"C"}]},"metadata":{"ownerReferences":[{"kind":"B","name":"b"}]}}',
      {
        metadata: {
          ownerReferences: [{ apiVersion: 'v1', kind: 'B', name: 'b', uid: '1', controller: true }],
        },
      },
    ],
    [
      'null behind a struct, and behind a text -> nothing changes',
      '{"metadata":{"name":"m"},"metadata":{"name":null},"metadata":null}',
      { metadata: { name: 'm' } },
    ],
    [
      'null behind a map, and behind a pointer -> nothing is left',
      '{"metadata":{"name":"m"},"data":{"a":"1"},"data":null,"immutable":true,"immutable":null}',
      {},
    ],
  ])('%s', async (_what, body, expected) => {
    const answer = await server.handle('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', body);
    expect(answer.code).toBe(201);
    const { data, immutable, ...rest } = JSON.parse(answer.body) as Record<string, unknown>;
    const { metadata, ...others } = expected as Record<string, object>;
    expect({ data, immutable }).toEqual({ data: undefined, immutable: undefined, ...others });
    expect(rest).toMatchObject(metadata === undefined ? {} : { metadata });
  });

  test('custom kind, objects -> the last one', async () => {
    const body =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1},"spec":{}}';
    const { body: answered } = await server.handle('POST', `${widgets}?dryRun=All`, body);
    expect(JSON.parse(answered)).toMatchObject({ spec: {} });
    expect(answered).not.toContain('size');
  });

  test('custom kind -> duplicates before unknown fields', async () => {
    const body =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","odd":1},"spec":{"color":1,"size":1,"size":2}}';
    const { code, message } = await send('POST', widgets, 'Strict', body);
    expect({ code, message }).toEqual({
      code: 400,
      message:
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.size", unknown field "metadata.odd", unknown field "spec.color"',
    });
  });

  test.each([
    [
      'application/merge-patch+json',
      '{"spec":{"replicas":2,"replicas":3}}',
      'duplicate field "spec.replicas"',
    ],
    [
      'application/strategic-merge-patch+json',
      '{"spec":{"replicas":2,"replicas":3,"odd":1}}',
      'duplicate field "spec.replicas", unknown field "spec.odd"',
    ],
    [
      'application/json-patch+json',
      '[{"op":"replace","op":"replace","path":"/spec/replicas","value":3}]',
      'json patch duplicate field "[0].op"',
    ],
  ])('patch %s, strict -> refused', async (type, body, problem) => {
    const { code, message } = await send('PATCH', `${deployments}/present`, 'Strict', body, type);
    expect(code).toBe(422);
    expect(message).toMatch(new RegExp(`strict decoding error: ${escaped(problem)}$`));
  });

  test('patch, warn -> taken with a warning', async () => {
    const body = '{"spec":{"replicas":2,"replicas":3}}';
    await expect(
      send('PATCH', `${deployments}/present`, 'Warn', body, 'application/merge-patch+json'),
    ).resolves.toMatchObject({ code: 200, warnings: '299 - "duplicate field \\"spec.replicas\\""' });
  });

  const yaml = 'metadata:\n  name: y\ndata:\n  a: b\n  a: c\n';

  test('in YAML, strict -> refused with its line', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    await expect(send('POST', path, 'Strict', yaml, 'application/yaml')).resolves.toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
    });
  });

  test('in YAML, otherwise -> the last one holds', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    await expect(send('POST', path, 'Warn', yaml, 'application/yaml')).resolves.toMatchObject({ code: 201 });
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[[\].\\]/g, '\\$&');
}
