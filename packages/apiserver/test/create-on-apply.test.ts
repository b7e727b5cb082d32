import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf, configMaps } from './client.ts';

/* Recorded on kube-apiserver 1.36: who applies what is not there needs `create` too, and by its name, if need be. */

let server: ApiServer;
beforeEach(async () => {
  server = await startApiServer({ tls: false, users: [{ token: 't', name: 'alice' }] });
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const admin = clientOf(server);
  const rule = { apiGroups: [''], resources: ['configmaps'] };
  await admin.send('POST', `${rbac}/roles`, {
    metadata: { name: 'r' },
    rules: [
      { ...rule, verbs: ['patch'] },
      { ...rule, resourceNames: ['named'], verbs: ['create'] },
    ],
  });
  await admin.send('POST', `${rbac}/rolebindings`, {
    metadata: { name: 'r' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  await admin.send('POST', configMaps, { metadata: { name: 'there' } });
});
afterEach(() => server.stop());

test.each([
  ['there', 200, undefined],
  ['named', 201, undefined],
  [
    'absent',
    403,
    'configmaps "absent" is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
  ],
])('user who may patch all, and create what is named -> applies %s: %i', async (name, code, message) => {
  const answer = await clientOf(server, 't').send(
    'PATCH',
    `${configMaps}/${name}?fieldManager=m`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } },
    'application/apply-patch+yaml',
  );
  expect([answer.code, answer.body.message]).toEqual([code, message]);
});
