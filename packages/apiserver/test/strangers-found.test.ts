import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What others who asked the real server and this one the same were told otherwise. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses';
const configMaps = '/api/v1/namespaces/default/configmaps';

interface Spoken {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Over the network, where headers count. */
async function speak(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Spoken> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${users[0]?.user.token ?? ''}`, ...headers },
    ...(body === undefined ? undefined : { body }),
  });
  const read = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body: read };
}

async function ask(method: string, path: string, body?: object | string, type?: string): Promise<unknown> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.handle(method, path, text, type);
  return JSON.parse(answer.body);
}

test('system priority class deleted -> forbidden, and kept', async () => {
  await expect(ask('DELETE', `${priorityClasses}/system-node-critical`)).resolves.toMatchObject({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  });
  await expect(ask('GET', `${priorityClasses}/system-node-critical`)).resolves.toMatchObject({
    kind: 'PriorityClass',
  });
});

test('priority class of a user deleted -> gone', async () => {
  await ask('POST', priorityClasses, { metadata: { name: 'high' }, value: 10 });
  await expect(ask('DELETE', `${priorityClasses}/high`)).resolves.toMatchObject({ status: 'Success' });
});

test('label selector with a set that is none -> the words of the real server', async () => {
  await expect(ask('GET', `${configMaps}?labelSelector=app+in+shop`)).resolves.toMatchObject({
    code: 400,
    message: expect.stringMatching(/unable to parse requirement: found 'shop' expected: '\('$/),
  });
});

test('merge patch that ends too early -> the words of the real server', async () => {
  await ask('POST', configMaps, { metadata: { name: 'settings' } });
  await expect(
    ask('PATCH', `${configMaps}/settings`, '{"data":', 'application/merge-patch+json'),
  ).resolves.toMatchObject({ code: 400, message: 'error decoding patch: unexpected end of JSON input' });
});

test('strategic merge patch of a custom kind -> 415 that names what it takes', async () => {
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  await ask('POST', widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } });
  await expect(
    ask('PATCH', `${widgets}/one`, '{}', 'application/strategic-merge-patch+json'),
  ).resolves.toMatchObject({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  });
});

test('spec of a pod changed, quantities not in order -> no difference', async () => {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } };
  const pods = '/api/v1/namespaces/default/pods';
  await ask('POST', pods, {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'nginx', resources }] },
  });
  const type = 'application/strategic-merge-patch+json';
  await ask('PATCH', `${pods}/web`, { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } }, type);
  const patch = { spec: { nodeName: 'node-9' } };
  const { message } = (await ask('PATCH', `${pods}/web`, patch, type)) as {
    message: string;
  };
  expect(message).toContain('node-9');
  expect(message).not.toMatch(/[-+] *"memory"/);
});

test.each(['Table', 'PartialObjectMetadataList'])(
  '%s of meta.k8s.io/v1beta1 -> given in that version',
  async (as) => {
    const { status, body } = await speak('GET', '/api/v1/namespaces', {
      accept: `application/json;as=${as};v=v1beta1;g=meta.k8s.io`,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: as, apiVersion: 'meta.k8s.io/v1beta1' });
    const [first] = (body['rows'] ?? body['items']) as readonly Record<string, unknown>[];
    expect(first?.['object'] ?? first).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1beta1',
    });
  },
);

describe('applied configuration gives a key twice', () => {
  const yaml = (name: string): string =>
    [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      `  name: ${name}`,
      'data:',
      '  a: first',
      '  a: last',
    ].join('\n');
  const problem =
    'error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map';
  const send = (name: string, fieldValidation: string): Promise<Spoken> =>
    speak(
      'PATCH',
      `${configMaps}/${name}?fieldManager=me&fieldValidation=${fieldValidation}`,
      { 'content-type': 'application/apply-patch+yaml' },
      yaml(name),
    );

  test('strict -> refused', async () => {
    const { status, body } = await send('strict', 'Strict');
    expect({ status, message: body['message'] }).toEqual({
      status: 400,
      message: `error strict decoding YAML: ${problem}`,
    });
  });

  test.each(['Warn', 'Ignore'])('%s -> the last one', async (fieldValidation) => {
    const { status, body } = await send(fieldValidation.toLowerCase(), fieldValidation);
    expect({ status, data: body['data'] }).toEqual({ status: 201, data: { a: 'last' } });
  });
});

test.each(['', 'a b', '..', '..a'])('secret with key %j -> refused', async (key) => {
  const path = '/api/v1/namespaces/default/secrets';
  await expect(ask('POST', path, { metadata: { name: 'key' }, data: { [key]: '' } })).resolves.toMatchObject({
    code: 422,
    message: expect.stringContaining(`data[${key}]: Invalid value: ${JSON.stringify(key)}: `),
  });
});

test.each(['data', 'binaryData'])(
  'config map with a key in %s that leads out of its folder -> refused',
  async (field) => {
    await expect(
      ask('POST', configMaps, { metadata: { name: 'key' }, [field]: { '..': '' } }),
    ).resolves.toMatchObject({
      code: 422,
      message: `ConfigMap "key" is invalid: ${field}[..]: Invalid value: "..": must not be '..'`,
    });
  },
);

test('timeout that is none, in a request about no resource -> 400', async () => {
  await expect(ask('GET', '/version?timeout=invalid')).resolves.toMatchObject({
    code: 400,
    message: 'invalid timeout specified in the request URL - time: invalid duration "invalid"',
  });
  await expect(ask('GET', '/version?timeout=3s')).resolves.toMatchObject({ major: '1' });
});

describe('ports of nodes', () => {
  const services = '/api/v1/namespaces/default/services';
  const create = (name: string, nodePort?: number): Promise<unknown> =>
    ask('POST', services, {
      metadata: { name },
      spec: { type: 'NodePort', ports: [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }] },
    });
  const change = (name: string, nodePort: number): Promise<unknown> =>
    ask(
      'PATCH',
      `${services}/${name}`,
      [{ op: 'replace', path: '/spec/ports/0/nodePort', value: nodePort }],
      'application/json-patch+json',
    );
  const refusal = (name: string, nodePort: number, problem: string): object => ({
    code: 422,
    message: `Service "${name}" is invalid: spec.ports[0].nodePort: Invalid value: ${nodePort}: ${problem}`,
  });
  const range = 'provided port is not in the valid range. The range of valid ports is 30000-32767';
  const taken = 'provided port is already allocated';

  test('port out of their range, when created and later -> refused', async () => {
    await expect(create('outside', 64740)).resolves.toEqual(
      expect.objectContaining(refusal('outside', 64740, range)),
    );
    await create('inside');
    await expect(change('inside', 29999)).resolves.toEqual(
      expect.objectContaining(refusal('inside', 29999, range)),
    );
  });

  test('port that another service has -> refused; once that is gone -> given', async () => {
    await create('first', 31000);
    await expect(create('second', 31000)).resolves.toEqual(
      expect.objectContaining(refusal('second', 31000, taken)),
    );
    await create('third', 31001);
    await expect(change('third', 31000)).resolves.toEqual(
      expect.objectContaining(refusal('third', 31000, taken)),
    );
    await expect(change('third', 31001)).resolves.toMatchObject({ kind: 'Service' });
    await ask('DELETE', `${services}/first`);
    await expect(create('second', 31000)).resolves.toMatchObject({ kind: 'Service' });
  });
});

test('review asked for as a Table -> 406', async () => {
  const headers = {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    'content-type': 'application/json',
  };
  const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  await expect(speak('POST', path, headers, JSON.stringify(review))).resolves.toMatchObject({
    status: 406,
    body: { reason: 'NotAcceptable' },
  });
});

test('new server -> has the ServiceCIDR that services get their addresses of', async () => {
  const path = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
  await expect(ask('GET', path)).resolves.toMatchObject({ spec: { cidrs: ['10.0.0.0/24'] } });
});

test('list of a custom object got longer, its items are wrong by now -> refused, and taken while it stays', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const schemaOf = (items: object): object => ({
    openAPIV3Schema: { type: 'object', properties: { names: { type: 'array', items } } },
  });
  const definition = (items: object): object => ({
    metadata: { name: 'lists.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'lists', kind: 'Names' },
      versions: [{ name: 'v1', served: true, storage: true, schema: schemaOf(items) }],
    },
  });
  await ask('POST', definitions, definition({ type: 'string' }));
  const lists = '/apis/example.com/v1/namespaces/default/lists';
  await ask('POST', lists, {
    apiVersion: 'example.com/v1',
    kind: 'Names',
    metadata: { name: 'one' },
    names: ['foo'],
  });
  const merge = 'application/merge-patch+json';
  await ask(
    'PATCH',
    `${definitions}/lists.example.com`,
    definition({ type: 'string', enum: ['bar'] }),
    merge,
  );
  await expect(
    ask('PATCH', `${lists}/one`, { metadata: { labels: { a: 'b' } } }, merge),
  ).resolves.toMatchObject({
    kind: 'Names',
  });
  await expect(ask('PATCH', `${lists}/one`, { names: ['foo', 'bar'] }, merge)).resolves.toMatchObject({
    code: 422,
    message: expect.stringContaining('names[0]: Unsupported value: "foo"'),
  });
});

test.each([
  [{ endPort: 20000 }, 20000, 'may not be specified when `port` is not specified'],
  [{ port: 'http', endPort: 20000 }, 20000, 'may not be specified when `port` is non-numeric'],
  [{ port: 30000, endPort: 20000 }, 30000, 'must be greater than or equal to `port`'],
  [{ port: 30000, endPort: 65536 }, 65536, 'must be between 1 and 65535, inclusive'],
])('network policy for ports %j -> refused', async (port, value, problem) => {
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const spec = { podSelector: {}, egress: [{ ports: [port] }] };
  await expect(ask('POST', path, { metadata: { name: 'ports' }, spec })).resolves.toMatchObject({
    code: 422,
    message: `NetworkPolicy.networking.k8s.io "ports" is invalid: spec.egress[0].ports[0].endPort: Invalid value: ${value}: ${problem}`,
  });
});
