import { describe, expect, test } from '@jest/globals';
import type { Manifest } from '../kustomize.ts';
import { allows, needs, requestsIn, rightsIn, type AuditedRequest, type Right } from './used-rights.ts';

const user = 'system:serviceaccount:team-a:app';

const right: Right = {
  user,
  role: 'Role app',
  verb: 'list',
  group: '',
  resource: 'pods',
  name: undefined,
  namespace: undefined,
};
const request: AuditedRequest = {
  user,
  verb: 'list',
  group: '',
  resource: 'pods',
  name: undefined,
  namespace: undefined,
  code: 200,
  isForbidden: false,
};

describe('rightsIn', () => {
  const manifests: readonly Manifest[] = [
    {
      apiVersion: 'v1',
      kind: 'Role',
      metadata: { name: 'app', namespace: 'team-a' },
      rules: [
        { apiGroups: [''], resources: ['pods', 'secrets'], resourceNames: ['mine'], verbs: ['get', 'patch'] },
      ],
    },
    {
      apiVersion: 'v1',
      kind: 'RoleBinding',
      metadata: { name: 'app', namespace: 'team-a' },
      roleRef: { kind: 'Role', name: 'app' },
      subjects: [{ kind: 'ServiceAccount', name: 'app', namespace: 'team-a' }],
    },
    {
      apiVersion: 'v1',
      kind: 'ClusterRole',
      metadata: { name: 'unbound' },
      rules: [{ apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['delete'] }],
    },
  ];

  test('role that is bound, role that is not -> each verb of each resource of the first, where it is bound', () => {
    const own = { user, role: 'Role app', group: '', name: 'mine', namespace: 'team-a' };
    expect(rightsIn(manifests)).toEqual([
      { ...own, resource: 'pods', verb: 'get' },
      { ...own, resource: 'pods', verb: 'patch' },
      { ...own, resource: 'secrets', verb: 'get' },
      { ...own, resource: 'secrets', verb: 'patch' },
    ]);
  });
});

describe('requestsIn', () => {
  test('request with a subresource, one for no resource, one that was only received -> the first two', () => {
    const event = { verb: 'patch', user: { username: user }, stage: 'ResponseComplete' };
    const log = [
      {
        ...event,
        objectRef: {
          resource: 'persistentvolumeclaims',
          subresource: 'status',
          name: 'data',
          namespace: 'team-a',
        },
        responseStatus: { code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      },
      { ...event, verb: 'get', responseStatus: { code: 200 } },
      { ...event, stage: 'RequestReceived' },
    ];
    expect(requestsIn(`${log.map((each) => JSON.stringify(each)).join('\n')}\n`)).toEqual([
      {
        user,
        verb: 'patch',
        group: '',
        resource: 'persistentvolumeclaims/status',
        name: 'data',
        namespace: 'team-a',
        code: 403,
        isForbidden: true,
      },
      {
        user,
        verb: 'get',
        group: '',
        resource: '',
        name: undefined,
        namespace: undefined,
        code: 200,
        isForbidden: false,
      },
    ]);
  });
});

test.each([
  { what: 'the authorizer forbids', code: 403, decision: 'forbid', isForbidden: true },
  { what: 'an admission plugin refuses', code: 403, decision: 'allow', isForbidden: false },
  { what: 'the token is not known', code: 401, decision: undefined, isForbidden: true },
])('$what -> forbidden: $isForbidden', ({ code, decision, isForbidden }) => {
  const event = {
    stage: 'ResponseComplete',
    verb: 'get',
    user: { username: user },
    responseStatus: { code },
    annotations: decision === undefined ? {} : { 'authorization.k8s.io/decision': decision },
  };
  expect(requestsIn(JSON.stringify(event)).map((each) => each.isForbidden)).toEqual([isForbidden]);
});

describe('allows and needs', () => {
  test.each<{
    readonly what: string;
    readonly granted?: Partial<Right>;
    readonly asked?: Partial<AuditedRequest>;
    readonly allowed: boolean;
    readonly needed: boolean;
  }>([
    { what: 'the same', allowed: true, needed: true },
    {
      what: 'another user',
      asked: { user: 'system:serviceaccount:team-b:app' },
      allowed: false,
      needed: false,
    },
    { what: 'another verb', asked: { verb: 'watch' }, allowed: false, needed: false },
    { what: 'another group', asked: { group: 'metrics.k8s.io' }, allowed: false, needed: false },
    { what: 'a subresource', asked: { resource: 'pods/status' }, allowed: false, needed: false },
    {
      what: 'list in a namespace, granted in the cluster',
      asked: { namespace: 'team-a' },
      allowed: true,
      needed: false,
    },
    {
      what: 'list in the namespace for which it is granted',
      granted: { namespace: 'team-a' },
      asked: { namespace: 'team-a' },
      allowed: true,
      needed: true,
    },
    {
      what: 'list in the cluster, granted in a namespace',
      granted: { namespace: 'team-a' },
      allowed: false,
      needed: false,
    },
    {
      what: 'patch in a namespace, granted in the cluster',
      granted: { verb: 'patch' },
      asked: { verb: 'patch', namespace: 'team-a', name: 'web-0' },
      allowed: true,
      needed: true,
    },
    {
      what: 'get of the object that is named',
      granted: { verb: 'get', name: 'web-0' },
      asked: { verb: 'get', name: 'web-0' },
      allowed: true,
      needed: true,
    },
    {
      what: 'get of another than is named',
      granted: { verb: 'get', name: 'web-0' },
      asked: { verb: 'get', name: 'web-1' },
      allowed: false,
      needed: false,
    },
  ])('$what -> allowed $allowed, needed $needed', ({ granted = {}, asked = {}, allowed, needed }) => {
    const pair = [
      { ...right, ...granted },
      { ...request, ...asked },
    ] as const;
    expect([allows(...pair), needs(...pair)]).toEqual([allowed, needed]);
  });
});
