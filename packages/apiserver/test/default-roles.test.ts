import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Client, clientOf } from './client.ts';

// The roles that kube-apiserver makes, with the rules that kube-controller-manager gives view, edit and admin.

const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';

describe.each([
  ['view', [200, 403, 403, 403]],
  ['edit', [200, 200, 201, 403]],
  ['admin', [200, 200, 201, 201]],
])('user with ClusterRole %s in a namespace', (name, expected) => {
  let server: ApiServer;
  let user: Client;

  beforeAll(async () => {
    server = await startApiServer({ tls: false, users: [{ token: 'u', name: 'someone' }] });
    user = clientOf(server, 'u');
    await clientOf(server).send('POST', role, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'someone' }],
    });
  });
  afterAll(() => server.stop());

  test.each([
    ['pods', 'GET', '/api/v1/namespaces/default/pods', undefined],
    ['secrets', 'GET', '/api/v1/namespaces/default/secrets', undefined],
    ['a new config map', 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }],
    [
      'a new role',
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
      { metadata: { name: 'r' }, rules: [] },
    ],
  ] as const)('%s -> as the role says', async (what, method, path, body) => {
    const index = ['pods', 'secrets', 'a new config map', 'a new role'].indexOf(what);
    expect((await user.send(method, path, body)).code).toBe(expected[index]);
  });

  test('elsewhere -> 403', async () => {
    expect((await user.send('GET', '/api/v1/namespaces/kube-system/pods')).code).toBe(403);
  });
});

test('two servers of a process -> what they begin with differs in uids', async () => {
  const servers = [await startApiServer({ tls: false }), await startApiServer({ tls: false })];
  const uids = await Promise.all(
    servers.map(async (server) => {
      const { body } = await clientOf(server).send('GET', '/api/v1/namespaces/default');
      return body.metadata.uid;
    }),
  );
  expect(new Set(uids).size).toBe(2);
  await Promise.all(servers.map((server) => server.stop()));
});
