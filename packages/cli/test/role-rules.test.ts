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
