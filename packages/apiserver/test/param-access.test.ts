import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Client, clientOf, mergePatch } from './client.ts';

// Who names params in admission policies must be allowed to read them. The messages are those of kube-apiserver 1.36.3.

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

const policy = (name: string, apiVersion: string, kind: string): object => ({
  metadata: { name },
  spec: {
    paramKind: { apiVersion, kind },
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['x.y'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
      ],
    },
    validations: [{ expression: 'true' }],
  },
});
const binding = (name: string, policyName: string, paramRef: object): object => ({
  metadata: { name },
  spec: {
    policyName,
    validationActions: ['Deny'],
    paramRef: { parameterNotFoundAction: 'Allow', ...paramRef },
  },
});

let server: ApiServer;
let admin: Client;
let bob: Client;

async function grant(name: string, rule: object, namespace?: string): Promise<void> {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  await admin.send('POST', `${rbac}${scope}/${kind.toLowerCase()}s`, { metadata: { name }, rules: [rule] });
  await admin.send('POST', `${rbac}${scope}/${kind.toLowerCase()}bindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'User', name: 'bob' }],
  });
}

beforeAll(async () => {
  server = await startApiServer({ tls: false, users: [{ token: 'b', name: 'bob', groups: ['devs'] }] });
  admin = clientOf(server);
  bob = clientOf(server, 'b');
  await grant('writer', {
    verbs: ['*'],
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['*'],
  });
  await grant(
    'one',
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['c'] },
    'default',
  );
  await admin.send('POST', policies, policy('known', 'v1', 'ConfigMap'));
  await admin.send('POST', policies, policy('unknown', 'none.example.com/v1', 'Gizmo'));
});
afterAll(() => server.stop());

const user = 'user &{bob  [devs system:authenticated] map[]}';

test.each([
  [
    'kind that the user may not read',
    policy('p', 'v1', 'ConfigMap'),
    `spec.paramKind: Forbidden: ${user} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  ],
  [
    'kind that there is not',
    policy('p', 'none.example.com/v1', 'Gizmo'),
    `spec.paramKind: Forbidden: ${user} must have "get" permission on all objects of the referenced paramKind (kind=Gizmo, apiVersion=none.example.com/v1)`,
  ],
])('policy with params of a %s -> refused', async (_, body, problem) => {
  const answer = await bob.send('POST', policies, body);
  expect(answer.code).toBe(422);
  expect(answer.body.message).toContain(problem);
});

test.each([
  [
    'one object that the user may not read',
    binding('b', 'known', { name: 'd', namespace: 'default' }),
    `${user} does not have "get" permission on the object referenced by paramRef`,
  ],
  [
    'a selector',
    binding('b', 'known', { selector: {} }),
    `${user} does not have "list" permission on the object referenced by paramRef`,
  ],
  [
    'params of a policy that there is not',
    binding('b', 'none', { name: 'c' }),
    `unable to get policy none to determine minimum required permissions and ${user} does not have "get" permission for all groups, versions and resources`,
  ],
  [
    'params of a kind that there is not',
    binding('b', 'unknown', { name: 'c' }),
    `unable to resolve paramKind &{none.example.com/v1 Gizmo} to determine minimum required permissions and ${user} does not have "get" permission for all groups, versions and resources`,
  ],
])('binding with %s -> refused', async (_, body, problem) => {
  const answer = await bob.send('POST', bindings, body);
  expect(answer.code).toBe(422);
  expect(answer.body.message).toContain(`spec.paramRef: Forbidden: ${problem}`);
});

test('binding with an object that the user may read -> taken, until it names another one', async () => {
  const created = await bob.send(
    'POST',
    bindings,
    binding('own', 'known', { name: 'c', namespace: 'default' }),
  );
  expect(created.code).toBe(201);
  const labelled = { metadata: { labels: { a: 'b' } } };
  expect((await bob.send('PATCH', `${bindings}/own`, labelled, mergePatch)).code).toBe(200);
  const renamed = { spec: { paramRef: { name: 'd' } } };
  expect((await bob.send('PATCH', `${bindings}/own`, renamed, mergePatch)).code).toBe(422);
});

test("policy of another user's -> may be changed, but for the kind of its params", async () => {
  const labelled = { metadata: { labels: { a: 'b' } } };
  expect((await bob.send('PATCH', `${policies}/known`, labelled, mergePatch)).code).toBe(200);
  const secrets = { spec: { paramKind: { kind: 'Secret' } } };
  expect((await bob.send('PATCH', `${policies}/known`, secrets, mergePatch)).code).toBe(422);
});

test('user who may read all objects of the kind -> policy taken', async () => {
  await grant('all', { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] });
  expect((await bob.send('POST', policies, policy('p', 'v1', 'ConfigMap'))).code).toBe(201);
});

describe('mutating policies', () => {
  const root = '/apis/admissionregistration.k8s.io/v1';
  const mutating = (name: string): object => ({
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['x.y'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
        ],
      },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  });
  const bound = (policyName: string, paramRef: object): object => ({
    metadata: { name: 'b' },
    spec: { policyName, paramRef: { parameterNotFoundAction: 'Allow', ...paramRef } },
  });

  test('policy with params of a kind that the user may not read -> refused', async () => {
    const answer = await bob.send('POST', `${root}/mutatingadmissionpolicies`, mutating('m'));
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(
      `spec.paramKind: Forbidden: ${user} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
    );
  });

  // The real server has user and verb the wrong way round.
  test.each([
    ['get', { name: 's', namespace: 'default' }],
    ['list', { selector: {} }],
  ])('binding with params to %s that the user may not -> refused', async (verb, paramRef) => {
    await admin.send('POST', `${root}/mutatingadmissionpolicies`, mutating('m'));
    const answer = await bob.send('POST', `${root}/mutatingadmissionpolicybindings`, bound('m', paramRef));
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(
      `spec.paramRef: Forbidden: user ${verb} does not have "${user.replace('user ', '')}" permission on the object referenced by paramRef`,
    );
  });
});
