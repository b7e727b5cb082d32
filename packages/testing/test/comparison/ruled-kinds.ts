import { type Fields, type Kind, builtInKind, nameIn, text } from './random-kind.ts';
import fc from 'fast-check';

/* The kinds that have rules of their own and no story of random-objects.ts: a few objects each, right and wrong. */

/** Nothing is ever created that such a rule would match. */
const nowhere: Fields = {
  apiGroups: ['nowhere.example.com'],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['widgets'],
};
const hook = (more: Fields = {}): Fields => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/a' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [nowhere],
  ...more,
});
const hooks: readonly Fields[] = [
  { webhooks: [hook(), hook({ name: 'b.example.com', failurePolicy: 'Ignore', timeoutSeconds: 3 })] },
  { webhooks: [hook({ clientConfig: { service: { namespace: 'n', name: 's', path: '/a' } } })] },
  { webhooks: [hook({ matchPolicy: 'Exact', namespaceSelector: { matchLabels: { a: 'b' } } })] },
];
const wrongHooks: readonly Fields[] = [
  { webhooks: [hook(), hook()] },
  { webhooks: [hook({ sideEffects: 'Some', timeoutSeconds: 31 })] },
  { webhooks: [hook({ name: 'short', clientConfig: {} })] },
  { webhooks: [hook({ admissionReviewVersions: ['v7'] })] },
  { webhooks: [hook({ rules: [{ ...nowhere, operations: ['EAT'], scope: 'Cosmic' }] })] },
  { webhooks: [hook({ matchConditions: [{ name: 'c', expression: '1' }] })] },
];

const policySpec = (more: Fields = {}): Fields => ({
  matchConstraints: { resourceRules: [nowhere] },
  validations: [{ expression: 'object.metadata.name != "x"' }],
  ...more,
});

const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
const otherRules = [{ apiGroups: ['apps'], resources: ['*'], resourceNames: ['a'], verbs: ['*'] }];
const roleChanges: readonly Fields[] = [
  { rules: otherRules },
  { rules: null },
  { rules: [{ apiGroups: [''], resources: ['pods'] }] },
];
const subject = { kind: 'ServiceAccount', namespace: '$NS', name: 'nobody' };
const user = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' };
const roleRef = (kind: string, name = 'r'): Fields => ({
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
});
const bindingChanges: readonly Fields[] = [
  { subjects: [user] },
  { subjects: [{ kind: 'Robot', name: 'r' }] },
  { subjects: [{ kind: 'ServiceAccount', name: 's' }] },
  { roleRef: { name: 'other' } },
];

const involved = { kind: 'Pod', namespace: '$NS', name: 'p' };
const at = '2026-01-01T00:00:00.000000Z';
const event: Fields = {
  eventTime: at,
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  action: 'Look',
  reason: 'Looked',
  type: 'Normal',
  regarding: involved,
};

const token = (one: string): readonly fc.WeightedArbitrary<string>[] => [
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '?dryRun=All'),
        fc.constantFrom<Fields>(
          {},
          { spec: { audiences: ['a', 'b'], expirationSeconds: 3600 } },
          { spec: { expirationSeconds: 1 } },
          { spec: { expirationSeconds: 2 ** 33 } },
          { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } } },
          { spec: { boundObjectRef: { kind: 'Job', apiVersion: 'batch/v1', name: 'j' } } },
          { metadata: { name: nameIn(one) }, spec: { audiences: [] } },
          { metadata: { name: 'other' } },
        ),
      )
      .map(([query, body]) => `POST ${one}/token${query} ${text(body)}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('system:serviceaccount:$NS:a', 'nobody', 'system:serviceaccount:$NS:', ''),
        fc.constantFrom(
          'GET $CONFIGMAPS',
          `GET ${one}`,
          `DELETE ${one}`,
          'POST $CONFIGMAPS {"metadata":{"name":"of-nobody"}}',
          'POST /apis/authentication.k8s.io/v1/selfsubjectreviews {}',
          'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"spec":{"resourceAttributes":{"namespace":"$NS","verb":"get","resource":"pods"}}}',
          'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"spec":{"nonResourceAttributes":{"path":"/version","verb":"get"}}}',
          'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews {"spec":{"namespace":"$NS"}}',
        ),
      )
      .map(([name, line]) => `AS:${name} ${line}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews {"spec":{"user":"u","resourceAttributes":{"verb":"get","resource":"pods"}}}',
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews {"spec":{"groups":["system:masters"],"resourceAttributes":{"verb":"get","resource":"pods"}}}',
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews {"spec":{}}',
      'POST /apis/authorization.k8s.io/v1/namespaces/$NS/localsubjectaccessreviews {"metadata":{"namespace":"$NS"},"spec":{"user":"u","resourceAttributes":{"namespace":"$NS","verb":"get","resource":"pods"}}}',
      'POST /apis/authorization.k8s.io/v1/namespaces/$NS/localsubjectaccessreviews {"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}',
      'POST /apis/authentication.k8s.io/v1/tokenreviews {"spec":{"token":"none"}}',
      'POST /apis/authentication.k8s.io/v1/tokenreviews {}',
    ),
  },
];

export const ruledKinds: readonly Kind[] = [
  builtInKind('v1', 'serviceaccounts', {
    least: {},
    others: [
      { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'p' }] },
      { secrets: [{ name: 's' }, { name: 't' }] },
    ],
    changes: [
      { automountServiceAccountToken: true },
      { secrets: null },
      { imagePullSecrets: [{ name: 'q' }] },
    ],
    own: token,
  }),
  builtInKind('v1', 'namespaces', {
    least: {},
    others: [{ spec: { finalizers: ['e.com/f'] } }, { status: { phase: 'Terminating' } }],
    changes: [{ spec: { finalizers: [] } }, { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }],
    statuses: [
      { status: { phase: 'Terminating' } },
      { status: { conditions: [{ type: 'T', status: 'True' }] } },
    ],
    own: (one) => [
      {
        weight: 2,
        arbitrary: fc
          .constantFrom<Fields>({ spec: { finalizers: [] } }, { spec: { finalizers: ['e.com/g'] } }, {})
          .map(
            (fields) =>
              `PUT ${one}/finalize ${text({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: nameIn(one) }, ...fields })}`,
          ),
      },
    ],
  }),
  builtInKind('v1', 'nodes', {
    least: {},
    others: [
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }], podCIDR: '10.1.0.0/24', providerID: 'e://a' } },
      { spec: { unschedulable: true } },
      { spec: { taints: [{ key: 'a', effect: 'Never' }] } },
    ],
    changes: [
      { spec: { unschedulable: true } },
      { spec: { podCIDR: '10.2.0.0/24' } },
      { spec: { providerID: 'e://b' } },
      { metadata: { labels: { 'node-role.kubernetes.io/worker': '' } } },
    ],
    statuses: [
      { status: { capacity: { cpu: '4', memory: '1024Mi' }, nodeInfo: { kubeletVersion: 'v1.36.0' } } },
      {
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [{ type: 'Hostname', address: 'h' }],
        },
      },
    ],
  }),
  builtInKind('v1', 'events', {
    least: {
      involvedObject: involved,
      reason: 'R',
      message: 'm',
      type: 'Normal',
      source: { component: 'c' },
    },
    others: [
      { involvedObject: { ...involved, namespace: 'other' }, reason: 'R' },
      { involvedObject: involved, count: 3, firstTimestamp: '2026-01-01T00:00:00Z' },
      { involvedObject: involved, eventTime: at },
      { ...event, regarding: undefined, involvedObject: involved, reportingComponent: 'example.com/c' },
    ],
    changes: [{ count: 2 }, { message: 'n' }, { type: 'Odd' }, { involvedObject: { name: 'q' } }],
  }),
  builtInKind('events.k8s.io/v1', 'events', {
    least: event,
    others: [
      { ...event, reportingController: '' },
      { ...event, type: 'Odd' },
      { ...event, eventTime: undefined },
      { ...event, note: 'n'.repeat(1025) },
    ],
    changes: [{ series: { count: 2, lastObservedTime: at } }, { note: 'n' }, { reason: '' }],
  }),
  builtInKind('apps/v1', 'controllerrevisions', {
    least: { revision: 1, data: { spec: { a: 'b' } } },
    others: [{ revision: -1 }, { revision: 2 }],
    changes: [{ revision: 3 }, { data: { spec: { a: 'c' } } }],
  }),
  builtInKind('rbac.authorization.k8s.io/v1', 'roles', {
    least: { rules },
    others: [{}, { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] }],
    changes: roleChanges,
  }),
  builtInKind('rbac.authorization.k8s.io/v1', 'clusterroles', {
    least: { rules },
    others: [
      {},
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
      { aggregationRule: { clusterRoleSelectors: [] } },
    ],
    changes: [...roleChanges, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { c: 'd' } }] } }],
  }),
  builtInKind('rbac.authorization.k8s.io/v1', 'rolebindings', {
    least: { ...roleRef('Role'), subjects: [subject] },
    others: [roleRef('ClusterRole', 'view'), roleRef('Rule'), {}],
    changes: bindingChanges,
  }),
  builtInKind('rbac.authorization.k8s.io/v1', 'clusterrolebindings', {
    least: { ...roleRef('ClusterRole'), subjects: [subject] },
    others: [roleRef('ClusterRole', 'none'), roleRef('Role'), {}],
    changes: bindingChanges,
  }),
  builtInKind('storage.k8s.io/v1', 'csinodes', {
    least: { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['a'] }] } },
    others: [{ spec: { drivers: [{ name: 'd', nodeID: '' }] } }, {}],
    changes: [
      { spec: { drivers: [{ name: 'd.example.com', nodeID: 'm' }] } },
      {
        spec: {
          drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['a'], allocatable: { count: 3 } }],
        },
      },
    ],
  }),
  builtInKind('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations', {
    least: { webhooks: [hook()] },
    others: [...hooks, ...wrongHooks, { webhooks: [hook({ reinvocationPolicy: 'IfNeeded' })] }, {}],
    changes: [...hooks, wrongHooks[1] ?? {}],
  }),
  builtInKind('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', {
    least: { webhooks: [hook()] },
    others: [...hooks, ...wrongHooks, {}],
    changes: [...hooks, wrongHooks[1] ?? {}],
  }),
  builtInKind('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies', {
    least: { spec: policySpec() },
    others: [
      { spec: policySpec({ failurePolicy: 'Ignore', variables: [{ name: 'v', expression: '1' }] }) },
      { spec: policySpec({ validations: [{ expression: '1 + "a"' }] }) },
      { spec: policySpec({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }) },
      { spec: policySpec({ validations: [] }) },
      { spec: {} },
    ],
    changes: [
      { spec: { failurePolicy: 'Ignore' } },
      { spec: { validations: [{ expression: '1' }] } },
      { spec: { auditAnnotations: [{ key: 'k', valueExpression: '"v"' }] } },
      { spec: { matchConditions: [{ name: 'c', expression: 'true' }] } },
    ],
    statuses: [{ status: { observedGeneration: 1 } }],
  }),
  builtInKind('admissionregistration.k8s.io/v1', 'validatingadmissionpolicybindings', {
    least: { spec: { policyName: 'none', validationActions: ['Deny'] } },
    others: [
      { spec: { policyName: 'none' } },
      { spec: { policyName: 'none', validationActions: ['Deny', 'Warn'] } },
      {
        spec: {
          policyName: 'none',
          validationActions: ['Audit'],
          matchResources: { resourceRules: [nowhere] },
        },
      },
    ],
    changes: [{ spec: { policyName: 'other' } }, { spec: { validationActions: ['Shout'] } }],
  }),
];
