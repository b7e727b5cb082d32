import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What kube-apiserver 1.36.3 answers to methods and paths that few clients send, by whether it is text or a Status. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }];
  for (const [plural, kind, scope] of [
    ['widgets', 'Widget', 'Namespaced'],
    ['bricks', 'Brick', 'Cluster'],
  ]) {
    const names = { plural, kind };
    const definition = {
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', scope, names, versions },
    };
    await server.handle(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      JSON.stringify(definition),
    );
  }
});
afterAll(() => server.stop());

interface Spoken {
  readonly code: number;
  readonly type: string;
  readonly isNotSniffed: boolean;
  readonly body: string;
}

function ask(method: string, path: string, body = ''): Promise<Spoken> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const headers = {
    authorization: `Bearer ${users[0]?.user.token ?? ''}`,
    ...(body === '' ? undefined : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, { method, headers, agent: false }, (response) => {
      const [type = ''] = (response.headers['content-type'] ?? '').split(';');
      const isNotSniffed = response.headers['x-content-type-options'] === 'nosniff';
      text(response).then(
        (answered) => resolve({ code: response.statusCode ?? 0, type, isNotSniffed, body: answered }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = 'application/json';
const plain = 'text/plain';
const group = '/apis/example.com';
const home = `${group}/v1/namespaces/default`;
const pods = '/api/v1/namespaces/default/pods';

test.each<[string, string, number, string]>([
  // What nobody serves.
  ['GET', '/nosuch', 404, plain],
  ['GET', `${group}/v9`, 404, plain],
  ['GET', `${group}/v9/widgets`, 404, plain],
  ['POST', `${group}/v9/namespaces/default/widgets`, 404, plain],
  ['GET', `${group}/v1/gadgets`, 404, plain],
  ['GET', `${home}/gadgets/a`, 404, plain],
  ['GET', home, 404, plain],
  ['GET', '/apis/nosuch.example.com/v1/things', 404, plain],
  ['POST', '//api/v1/namespaces', 404, plain],
  // What is not there, of a group that the server has itself.
  ['GET', '/apis/apps/v9', 404, json],
  ['GET', '/apis/apps/v9/deployments', 404, json],
  ['GET', '/apis/apps/v1/nosuch', 404, json],
  ['GET', '/api/v2', 404, json],
  ['GET', '/version/x', 404, json],
  ['GET', `${pods}/a/status/x`, 404, json],
  ['HEAD', `${pods}/a/nosuch`, 404, json],
  // Discovery and the like.
  ['HEAD', '/api', 405, json],
  ['POST', '/api/v1', 405, json],
  ['PUT', '/apis/apps/v1', 405, json],
  ['DELETE', '/version', 405, json],
  ['POST', '/openid/v1/jwks', 405, json],
  ['POST', '/.well-known/openid-configuration', 405, json],
  ['POST', '/apis', 200, json],
  ['DELETE', '/apis/apps', 200, json],
  ['PATCH', `${group}/v1`, 200, json],
  ['TRACE', pods, 405, json],
  ['OPTIONS', pods, 405, json],
  // Custom kinds.
  ['HEAD', `${home}/widgets`, 200, json],
  ['HEAD', `${group}/v1/widgets`, 200, json],
  ['HEAD', `${home}/widgets/a`, 404, json],
  ['OPTIONS', `${home}/widgets`, 405, json],
  ['GET', `${group}/v1/widgets/a`, 404, plain],
  ['POST', `${group}/v1/widgets`, 404, plain],
  ['GET', `${home}/bricks`, 404, plain],
  ['POST', `${home}/widgets/a/status`, 405, json],
  ['OPTIONS', `${home}/widgets/a/nosuch`, 404, json],
])('%s %s -> %d, %s', async (method, path, code, type) => {
  await expect(ask(method, path)).resolves.toMatchObject({ code, type, isNotSniffed: type === plain });
});

test('custom object, part that cannot be created -> the verb, and the kind by its group', async () => {
  const { body } = await ask('POST', `${home}/widgets/a/status`);
  expect(JSON.parse(body)).toMatchObject({
    reason: 'MethodNotAllowed',
    message: 'create is not supported on resources of kind "widgets.example.com"',
    details: { group: 'example.com', kind: 'widgets' },
  });
});

test.each(['PUT', 'PATCH'])('custom kind, %s without a name -> 400', async (method) => {
  const { code, body } = await ask(method, `${home}/widgets`);
  expect(code).toBe(400);
  expect(JSON.parse(body)).toMatchObject({ message: 'name must be provided' });
});

test('custom object created at the path of a name -> the name that the object has', async () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'b' } };
  const { code, body } = await ask('POST', `${home}/widgets/a`, JSON.stringify(widget));
  expect(code).toBe(201);
  expect(JSON.parse(body)).toMatchObject({ metadata: { name: 'b' } });
});

test('custom group version -> verbs and parts in the order in which the real server writes them', async () => {
  const { body } = await ask('GET', `${group}/v1`);
  const { resources } = JSON.parse(body) as { resources: readonly { name: string; verbs: string[] }[] };
  expect(resources.map(({ name }) => name)).toEqual(['bricks', 'bricks/status', 'widgets', 'widgets/status']);
  expect(resources[0]?.verbs.join()).toBe('delete,deletecollection,get,list,patch,create,update,watch');
});

test('health -> not to be taken for anything but text, one check may be', async () => {
  await expect(ask('GET', '/healthz')).resolves.toMatchObject({ isNotSniffed: true, body: 'ok' });
  await expect(ask('GET', '/healthz/ping')).resolves.toMatchObject({ isNotSniffed: false, body: 'ok' });
});

describe('the index', () => {
  test.each(['GET', 'POST'])('%s / -> every path that is about no resource', async (method) => {
    const { code, type, body } = await ask(method, '/');
    expect([code, type]).toEqual([200, json]);
    const { paths } = JSON.parse(body) as { paths: readonly string[] };
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(
      expect.arrayContaining(['/api/v1', '/apis', '/apis/example.com/v1', '/readyz/etcd', '/version']),
    );
    expect(body.startsWith('{\n  "paths": [\n    "/.well-known/openid-configuration",\n')).toBe(true);
  });

  test('each of its paths -> answered', async () => {
    const { paths } = JSON.parse((await ask('GET', '/')).body) as { paths: readonly string[] };
    const refused = [];
    for (const path of paths) {
      const { code } = await ask('GET', path);
      if (code !== 200) {
        refused.push(`${path} ${code}`);
      }
    }
    expect(refused).toStrictEqual([]);
  });
});
