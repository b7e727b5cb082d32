import { describe, expect, test } from '@jest/globals';
import type { OperatorRequest, RecordedTest } from '../src/recorded-requests.ts';
import { roleRules } from '../src/role-rules.ts';
import { rolesYaml } from '../src/role-yaml.ts';

const request = (verb: string, resource: string, more: Partial<OperatorRequest> = {}): OperatorRequest => ({
  ...{ verb, group: '', resource, subresource: '', namespace: '', name: '', path: '/', isApply: false },
  ...more,
});

const recorded = (
  name: string,
  requests: readonly OperatorRequest[],
  more: Partial<RecordedTest> = {},
): RecordedTest => ({
  ...{ operator: 'site', test: name, namespaces: [], requests },
  own: [
    { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system', name: 'site' },
    {
      group: 'admissionregistration.k8s.io',
      resource: 'validatingwebhookconfigurations',
      namespace: '',
      name: 'site',
    },
  ],
  ...more,
});

const yamlOf = (...tests: readonly RecordedTest[]): string =>
  rolesYaml('site', roleRules(tests)).split('\n').slice(1).join('\n');

/** The rules alone, without comments. */
const rulesOf = (...requests: readonly OperatorRequest[]): readonly string[] =>
  yamlOf(recorded('a', requests))
    .split('  - ')
    .slice(1)
    .map((rule) =>
      rule
        .replaceAll(/\n? *#.*/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

const inDefault = { namespace: 'default', name: 'x' };

describe('one request -> one rule', () => {
  test.each([
    ['read', request('get', 'pods', inDefault), "apiGroups: [''] resources: [pods] verbs: [get]"],
    ['watch', request('watch', 'pods'), "apiGroups: [''] resources: [pods] verbs: [list, watch]"],
    [
      'apply',
      request('patch', 'sites', { ...inDefault, group: 'example.com', isApply: true }),
      'apiGroups: [example.com] resources: [sites] verbs: [create, patch]',
    ],
    [
      'subresource',
      request('create', 'pods', { ...inDefault, subresource: 'eviction' }),
      "apiGroups: [''] resources: [pods/eviction] verbs: [create]",
    ],
    [
      'collection',
      request('deletecollection', 'pods', { namespace: 'default' }),
      "apiGroups: [''] resources: [pods] verbs: [deletecollection]",
    ],
    [
      'path',
      request('get', '', { path: '/metrics/cadvisor' }),
      'nonResourceURLs: [/metrics/cadvisor] verbs: [get]',
    ],
    [
      'apply of its own configuration, which creates it by its name',
      request('patch', 'validatingwebhookconfigurations', {
        group: 'admissionregistration.k8s.io',
        name: 'site',
        isApply: true,
      }),
      'apiGroups: [admissionregistration.k8s.io] resources: [validatingwebhookconfigurations] resourceNames: [site] verbs: [create, patch]',
    ],
    [
      'configuration of its own webhooks',
      request('patch', 'validatingwebhookconfigurations', {
        group: 'admissionregistration.k8s.io',
        name: 'site',
      }),
      'apiGroups: [admissionregistration.k8s.io] resources: [validatingwebhookconfigurations] resourceNames: [site] verbs: [patch]',
    ],
  ])('%s', (_name, asked, rule) => {
    expect(rulesOf(asked)).toEqual([rule]);
  });

  test('Event -> patch too, by which it becomes a series when it repeats', () => {
    expect(
      rulesOf(request('create', 'events', { group: 'events.k8s.io', namespace: 'default' })),
    ).toStrictEqual(['apiGroups: [events.k8s.io] resources: [events] verbs: [create, patch]']);
  });

  test.each(['/version', '/api', '/apis/apps/v1', '/openapi/v3', '/readyz'])(
    '%s, which everybody may read -> none',
    (path) => {
      expect(rulesOf(request('get', '', { path }))).toStrictEqual([]);
    },
  );
});

test('same resource by several tests -> one rule, and who needs which verb', () => {
  expect(
    yamlOf(
      recorded('test/b.test.ts', [request('watch', 'pods'), request('delete', 'pods', inDefault)]),
      recorded('test/a.test.ts', [request('watch', 'pods')]),
    ),
  ).toBe(`# For all of the cluster: bind it by a ClusterRoleBinding.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: site
rules:
  # delete: test/b.test.ts
  # list, watch: test/a.test.ts, test/b.test.ts
  - apiGroups: ['']
    resources: [pods]
    verbs: [delete, list, watch]
`);
});

test('lease -> Role, by its name but for its creation; another lease -> any', () => {
  const lease = { group: 'coordination.k8s.io', namespace: 'kube-system', name: 'site' };
  expect(
    yamlOf(
      recorded('a', [
        request('get', 'leases', lease),
        request('create', 'leases', { ...lease, name: '' }),
        request('patch', 'leases', { ...lease, name: 'other' }),
      ]),
    ),
  ).toBe(`# For all of the cluster: bind it by a ClusterRoleBinding.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: site
rules:
  # patch: a
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [patch]
---
# For the namespace in which the operator runs.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: site
rules:
  # create: a
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [create]
  # get: a
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    resourceNames: [site]
    verbs: [get]
`);
});

test('Secret of its webhooks read -> patch of it too, by which the certificate is renewed; of another -> none', () => {
  const own = [{ group: '', resource: 'secrets', namespace: 'kube-system', name: 'site-webhook' }];
  const secret = (name: string) => request('get', 'secrets', { namespace: 'kube-system', name });
  expect(yamlOf(recorded('a', [secret('site-webhook'), secret('other')], { own })))
    .toBe(`# For all of the cluster: bind it by a ClusterRoleBinding.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: site
rules:
  # get: a
  - apiGroups: ['']
    resources: [secrets]
    verbs: [get]
---
# For the namespace in which the operator runs.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: site
rules:
  # get, patch: a
  - apiGroups: ['']
    resources: [secrets]
    resourceNames: [site-webhook]
    verbs: [get, patch]
`);
});

test('operator that watches namespaces -> a Role for those, a ClusterRole for what is elsewhere', () => {
  const yaml = yamlOf(
    recorded(
      'a',
      [
        request('watch', 'pods', { namespace: 'shop' }),
        request('get', 'pods', { namespace: 'bank', name: 'x' }),
        request('watch', 'nodes'),
      ],
      { namespaces: ['shop'] },
    ),
  );
  expect(yaml.match(/kind: \w+\nmetadata:\n {2}name: .*|resources: .*/g)).toEqual([
    'kind: ClusterRole\nmetadata:\n  name: site',
    'resources: [nodes]',
    'resources: [pods]',
    'kind: Role\nmetadata:\n  name: site-watched',
    'resources: [pods]',
  ]);
});

/** Each rule of each scope in a line: what it is about, the names, the verbs. */
const linesOf = (requests: readonly OperatorRequest[], more: Partial<RecordedTest> = {}) =>
  Object.entries(roleRules([recorded('a', requests, more)])).flatMap(([scope, rules]) =>
    rules.map(({ resource, resourceNames, paths, verbs }) =>
      [
        scope,
        ...(resource === undefined ? [] : [`${resource.group}/${resource.name}`]),
        ...paths,
        ...resourceNames,
        [...verbs.keys()].join(),
      ].join(' '),
    ),
  );

describe('one object of the operator’s own', () => {
  const lease = { group: 'coordination.k8s.io', namespace: 'kube-system', name: 'site' };
  test.each(['get', 'update', 'patch', 'delete'])('%s -> of this one alone', (verb) => {
    expect(linesOf([request(verb, 'leases', lease)])).toEqual([
      `home coordination.k8s.io/leases site ${verb}`,
    ]);
  });

  test.each([
    ['in another namespace', 'leases', { ...lease, namespace: 'shop' }, 'coordination.k8s.io/leases get'],
    ['of another group', 'leases', { ...lease, group: 'example.com' }, 'example.com/leases get'],
    ['of another resource', 'locks', lease, 'coordination.k8s.io/locks get'],
  ])('one of its name %s -> any', (_, resource, asked, line) => {
    expect(linesOf([request('get', resource, asked)])).toEqual([`cluster ${line}`]);
  });

  test('all of its resource and namespace -> any', () => {
    expect(linesOf([request('list', 'leases', { ...lease, name: '' })])).toEqual([
      'cluster coordination.k8s.io/leases list',
    ]);
  });

  test('subresource of another is created -> any', () => {
    const asked = { ...lease, name: 'other', subresource: 'token' };
    expect(linesOf([request('create', 'leases', asked)])).toEqual([
      'cluster coordination.k8s.io/leases/token create',
    ]);
  });

  test('without a namespace -> in the ClusterRole, since no Role can allow it', () => {
    const group = 'admissionregistration.k8s.io';
    const asked = request('patch', 'validatingwebhookconfigurations', { group, name: 'site' });
    expect(linesOf([asked])).toEqual([`cluster ${group}/validatingwebhookconfigurations site patch`]);
  });

  test.each([
    ['ConfigMap is read', 'get', 'configmaps', 'get'],
    ['Secret is deleted', 'delete', 'secrets', 'delete'],
  ])('its %s -> that alone, and no patch', (_, verb, resource, verbs) => {
    const own = [{ group: '', resource, namespace: 'kube-system', name: 'site' }];
    const asked = request(verb, resource, { namespace: 'kube-system', name: 'site' });
    expect(linesOf([asked], { own })).toEqual([`home /${resource} site ${verbs}`]);
  });
});

describe('what brings nothing else with it', () => {
  test.each([
    ['Event of the core group', request('create', 'events', { namespace: 'shop' }), '/events create'],
    [
      'another resource of the group of Events',
      request('create', 'series', { group: 'events.k8s.io', namespace: 'shop' }),
      'events.k8s.io/series create',
    ],
    [
      'Events that are read',
      request('list', 'events', { group: 'events.k8s.io', namespace: 'shop' }),
      'events.k8s.io/events list',
    ],
    ['resource under /api', request('list', 'pods', { path: '/api/v1/pods' }), '/pods list'],
    ['path in which that of others is', request('get', '', { path: '/metrics/api' }), '/metrics/api get'],
  ])('%s -> as it was asked for', (_, asked, line) => {
    expect(linesOf([asked])).toEqual([`cluster ${line}`]);
  });
});

test('several groups, resources and paths -> a rule for each, in one order', () => {
  const asked = [
    request('get', '', { path: '/metrics' }),
    request('list', 'sites', { group: 'b.example' }),
    request('list', 'pods'),
    request('get', '', { path: '/logs' }),
    request('list', 'sites', { group: 'a.example' }),
    request('list', 'nodes'),
  ];
  const lines = [
    '/nodes list',
    '/pods list',
    '/logs get',
    '/metrics get',
    'a.example/sites list',
    'b.example/sites list',
  ].map((line) => `cluster ${line}`);
  expect(linesOf(asked)).toEqual(lines);
  expect(linesOf(asked.toReversed())).toEqual(lines);
});
