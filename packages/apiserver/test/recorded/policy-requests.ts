/*
 * Requests about ValidatingAdmissionPolicies: the kinds themselves, what they are refused for, and requests that
 * policies judge. Lines as replay.ts reads them.
 */

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/validatingadmissionpolicies`;
const bindings = `${root}/validatingadmissionpolicybindings`;

type Fields = Readonly<Record<string, unknown>>;

/**
 * A policy with its bindings, in force before the requests of its scenario are sent, for objects with its name as label
 * `policy`.
 */
export interface Installed {
  readonly spec: Fields;
  /** Default: one that denies. */
  readonly bindings?: readonly Fields[];
}

export interface PolicyScenario {
  readonly installed?: Readonly<Record<string, Installed>>;
  /** Sent before the policies are there; their answers are not looked at. */
  readonly prepared?: readonly string[];
  readonly requests: readonly string[];
}

const rules = [
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['configmaps'],
  },
];
const least: Fields = {
  matchConstraints: { resourceRules: rules },
  validations: [{ expression: 'true' }],
};
const leastBinding: Fields = { policyName: 'p', validationActions: ['Deny'] };

const policy = (name: string, spec: Fields, more: Fields = {}): string =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec,
    ...more,
  });
const binding = (name: string, spec: Fields): string =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec,
  });
const rule = (more: Fields): Fields => ({
  ...least,
  matchConstraints: { resourceRules: [{ ...rules[0], ...more }] },
});
const expression = (text: string, more: Fields = {}): Fields => ({
  ...least,
  validations: [{ expression: text }],
  ...more,
});
const validation = (more: Fields): Fields => ({
  ...least,
  validations: [{ expression: 'true', ...more }],
});
const condition = (text: string, more: Fields = {}): Fields => ({
  ...least,
  matchConditions: [{ name: 'c', expression: text }],
  ...more,
});
const variable = (name: string, text: string): Fields => ({
  ...least,
  variables: [{ name, expression: text }],
});
const audit = (key: string, text: string): Fields => ({
  ...least,
  auditAnnotations: [{ key, valueExpression: text }],
});
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };

const refusedPolicies: readonly Fields[] = [
  {},
  { matchConstraints: {} },
  { matchConstraints: { resourceRules: rules } },
  { ...least, failurePolicy: 'Odd' },
  { ...least, matchConstraints: { resourceRules: rules, matchPolicy: 'Odd' } },
  {
    ...least,
    matchConstraints: {
      resourceRules: rules,
      namespaceSelector: { matchLabels: { 'a b': 'c' } },
      objectSelector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] },
    },
  },
  rule({ operations: [] }),
  rule({ operations: ['*', 'CREATE'] }),
  rule({ operations: ['ODD'] }),
  rule({ apiGroups: [], apiVersions: [''], resources: [] }),
  rule({ resources: ['*', 'pods'], scope: 'Odd' }),
  rule({ resourceNames: ['a', 'a', 'b/c'] }),
  {
    ...least,
    matchConstraints: { resourceRules: rules, excludeResourceRules: [{ ...rules[0], resources: [] }] },
  },
  { ...least, paramKind: {} },
  { ...least, paramKind: { apiVersion: 'a/b/c', kind: 'A B' } },
  { ...least, paramKind: { apiVersion: 'A_b/V1', kind: 'Kind' } },
  { ...least, paramKind: { apiVersion: 'a/', kind: '1Kind' } },
  expression(''),
  expression(' '),
  expression('object.a'),
  expression('"a"'),
  expression('object.list.map(x, 1)'),
  expression('{"a": 1}'),
  expression('nope == 1'),
  expression('nope(1)'),
  expression('request.nope == ""'),
  expression('request.userInfo.username == 1'),
  expression('params.a == 1'),
  expression('variables.a == 1'),
  expression('namespaceObject.nope == 1'),
  expression('namespaceObject.metadata.uid == ""'),
  expression('namespaceObject.metadata.managedFields == []'),
  expression('request.object == null'),
  expression('has(object.a) &&\n  nope'),
  validation({ message: ' ' }),
  validation({ message: 'a\nb' }),
  validation({ messageExpression: ' ' }),
  validation({ messageExpression: '1' }),
  validation({ messageExpression: 'object.a' }),
  validation({ messageExpression: 'nope' }),
  validation({ messageExpression: 'authorizer.path("/").check("get").reason()' }),
  validation({ messageExpression: 'string(params.a)' }),
  expression('authorizer.path("/")'),
  expression('authorizer.group("").check("get").allowed()'),
  expression('authorizer.path("/").check("get").allowed() == ""'),
  variable('a', 'authorizer.nope()'),
  validation({ reason: 'Odd' }),
  validation({ reason: 'NotFound' }),
  condition(''),
  condition('nope'),
  condition('object.a'),
  condition('params.a == 1'),
  condition('variables.a', { variables: [{ name: 'a', expression: 'true' }] }),
  condition('true', { matchConditions: [{ name: '', expression: 'true' }] }),
  condition('true', {
    matchConditions: [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'true' },
      { name: 'a b', expression: 'true' },
    ],
  }),
  variable('', 'true'),
  variable('a', ''),
  variable('a-b', 'true'),
  variable('in', 'true'),
  variable('a', 'nope'),
  variable('a', 'variables.b'),
  variable('a', 'variables.a'),
  {
    ...variable('a', '1'),
    validations: [
      { expression: 'variables.a' },
      { expression: 'variables.b == 1' },
      { expression: 'variables.a == "a"' },
    ],
  },
  {
    ...variable('a', '[1]'),
    validations: [{ expression: 'variables.a' }, { expression: 'variables.a[0]' }],
  },
  {
    ...variable('a', 'object.metadata.?labels.orValue({})'),
    validations: [{ expression: 'variables.a' }],
  },
  audit('', '"a"'),
  audit('a b', '"a"'),
  audit('a', ''),
  audit('a', '1'),
  audit('a', 'nope'),
  {
    ...least,
    auditAnnotations: [
      { key: 'a', valueExpression: '"a"' },
      { key: 'a', valueExpression: '"b"' },
    ],
  },
];

const reference = (more: Fields): Fields => ({ ...leastBinding, paramRef: more });
const refusedBindings: readonly Fields[] = [
  {},
  { policyName: 'A b', validationActions: ['Deny'] },
  { policyName: 'p' },
  { policyName: 'p', validationActions: [] },
  { policyName: 'p', validationActions: ['Deny', 'Deny'] },
  { policyName: 'p', validationActions: ['Deny', 'Warn'] },
  { policyName: 'p', validationActions: ['Odd'] },
  reference({}),
  reference({ name: 'a', selector: {}, parameterNotFoundAction: 'Deny' }),
  reference({ name: 'a/b', parameterNotFoundAction: 'Deny' }),
  reference({ name: 'a' }),
  reference({ name: 'a', parameterNotFoundAction: 'Odd' }),
  reference({ selector: { matchLabels: { 'a b': '' } }, parameterNotFoundAction: 'Allow' }),
  { ...leastBinding, matchResources: { matchPolicy: 'Odd' } },
  { ...leastBinding, matchResources: { resourceRules: [{ ...rules[0], operations: [] }] } },
];

const configMap = (name: string, label: string, more: Fields = {}): string =>
  JSON.stringify({ metadata: { name, labels: { policy: label } }, ...more });
const create = (name: string, label: string, more: Fields = {}): string =>
  `POST $CONFIGMAPS ${configMap(name, label, more)}`;
const claim = (name: string, label: string, more: Fields = {}): string =>
  `POST $CLAIMS ${JSON.stringify({
    metadata: { name, labels: { policy: label }, ...more },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })}`;
const operations = (list: readonly string[], resources: readonly string[]): Fields => ({
  matchConstraints: { resourceRules: [{ ...rules[0], operations: list, resources }] },
});

const deny = (expressionText: string, more: Fields = {}): Installed => ({
  spec: { ...least, validations: [{ expression: expressionText, ...more }] },
});

/**
 * Expressions that are false, true, or fail, of a config map with data and of its namespace; they are told by the
 * message.
 */
const told: readonly string[] = [
  'object.data.a == "b"',
  'object.data.nope == "b"',
  'object.nope.nope == 1',
  'oldObject == null',
  'oldObject.data.a == ""',
  'object.kind == "ConfigMap" && object.apiVersion == "v1"',
  'request.kind.kind == "ConfigMap" && request.resource.resource == "configmaps" && request.kind.group == ""',
  'request.operation == "CREATE" && request.name.startsWith("told-")',
  'request.namespace == namespaceObject.metadata.name',
  'request.dryRun',
  '!has(request.subResource) || request.subResource == ""',
  'has(request.userInfo.username) && "system:masters" in request.userInfo.groups',
  'namespaceObject.metadata.labels["scenario"] == namespaceObject.metadata.name',
  'namespaceObject.status.phase == "Active" && namespaceObject.spec.finalizers == ["kubernetes"]',
  'namespaceObject == null',
  'has(namespaceObject.metadata.annotations)',
  'namespaceObject.metadata.creationTimestamp < timestamp("2000-01-01T00:00:00Z")',
  'object.metadata.?labels.?policy == optional.of("told")',
  'object.?data.?a != object.?data.?nope',
  'object.?nope == oldObject.?nope',
  '1 / int(object.data.zero) == 1',
  'int(object.data.a) == 1',
  'object.data.a == 1',
  'object.data.all(key, object.data[key] != "b")',
  'object.data.a == "b" || object.nope',
  'object.nope || object.data.a == "b"',
  'quantity(object.data.size).isLessThan(quantity("1Gi"))',
  'request.options.kind == "CreateOptions"',
  'has(object.metadata.uid) && has(object.metadata.creationTimestamp)',
  'authorizer.group("").resource("pods").namespace("default").check("create").allowed()',
  'authorizer.group("").resource("pods").namespace("default").check("create").reason() == ""',
  'authorizer.path("/metrics").check("get").allowed()',
  'authorizer.serviceAccount("default", "nobody").path("/metrics").check("get").allowed()',
  'authorizer.serviceAccount("default", "nobody").group("").resource("pods").subresource("status").name("a").check("get").allowed()',
  'authorizer.serviceAccount("default", "nobody").group("").resource("pods").check("get").errored()',
  'authorizer.serviceAccount("default", "nobody").group("").resource("pods").check("get").error() == ""',
  'authorizer.serviceAccount("default", "nobody").group("").resource("pods").check("get").reason() == ""',
  'authorizer.requestResource.check("create").allowed()',
  'authorizer.path("").check("get").allowed()',
  'authorizer.group("").resource(" ").check("get").allowed()',
  'authorizer.serviceAccount("", "x").path("/").check("get").allowed()',
  'authorizer.serviceAccount("x", "A b").path("/").check("get").allowed()',
];

export const policyScenarios: Readonly<Record<string, PolicyScenario>> = {
  kinds: {
    requests: [
      `POST ${policies} ${policy('$NS-p', least)}`,
      `GET ${policies}/$NS-p`,
      `GET:table ${policies}/$NS-p`,
      `POST ${bindings} ${binding('$NS-p', { ...leastBinding, policyName: '$NS-p' })}`,
      `GET:table ${bindings}/$NS-p`,
      `POST ${policies} ${policy(
        '$NS-q',
        {
          ...least,
          failurePolicy: 'Ignore',
          paramKind,
          matchConstraints: { resourceRules: rules, excludeResourceRules: rules, matchPolicy: 'Exact' },
        },
        { status: { observedGeneration: 5 } },
      )}`,
      `GET:table ${policies}/$NS-q`,
      `POST ${bindings} ${binding('$NS-q', {
        policyName: '$NS-q',
        validationActions: ['Warn', 'Audit'],
        paramRef: { name: 'a', namespace: 'b', parameterNotFoundAction: 'Allow' },
        matchResources: {},
      })}`,
      `GET:table ${bindings}/$NS-q`,
      `POST ${bindings} ${binding('$NS-r', {
        policyName: '$NS-q',
        validationActions: ['Audit'],
        paramRef: { name: 'a', parameterNotFoundAction: 'Deny' },
      })}`,
      `GET:table ${bindings}/$NS-r`,
      `POST ${bindings} ${binding('$NS-t', {
        policyName: '$NS-q',
        validationActions: ['Audit'],
        paramRef: {
          selector: {
            matchLabels: { b: 'c', a: 'b' },
            matchExpressions: [{ key: 'd', operator: 'In', values: ['e', 'f'] }],
          },
          parameterNotFoundAction: 'Deny',
        },
      })}`,
      `GET:table ${bindings}/$NS-t`,
      `PATCH:merge ${policies}/$NS-p {"spec":{"failurePolicy":"Ignore"},"status":{"observedGeneration":7}}`,
      `PATCH:merge ${policies}/$NS-p {"metadata":{"labels":{"a":"b"}}}`,
      `PATCH:merge ${policies}/$NS-p/status {"metadata":{"labels":{"a":"c"}},"spec":{"failurePolicy":"Fail"},"status":{"observedGeneration":2}}`,
      `PATCH:merge ${policies}/$NS-p/status {"status":{"typeChecking":{"expressionWarnings":[{"fieldRef":"spec.validations[0].expression","warning":"odd"}]}}}`,
      `PATCH:merge ${policies}/$NS-p/status {"status":{"typeChecking":{"expressionWarnings":[{"fieldRef":"","warning":""}]}}}`,
      `PATCH:merge ${policies}/$NS-p {"spec":{"validations":[{"expression":"nope"}]}}`,
      `PATCH:merge ${bindings}/$NS-p {"spec":{"validationActions":["Warn"]}}`,
      `PATCH:merge ${bindings}/$NS-p {"spec":{"validationActions":[]}}`,
      `PUT ${policies}/$NS-p ${policy('$NS-p', least)}`,
      `PUT ${bindings}/$NS-p ${binding('$NS-p', leastBinding)}`,
      `PUT ${policies}/$NS-absent ${policy('$NS-absent', least)}`,
      `PATCH:strategic ${policies}/$NS-p {"spec":{"variables":[{"name":"a","expression":"1"}]}}`,
      `PATCH:strategic ${policies}/$NS-p {"spec":{"variables":[{"name":"b","expression":"variables.a"}]}}`,
      `PATCH:apply ${policies}/$NS-s?fieldManager=m ${policy('$NS-s', least)}`,
      `POST ${policies} ${policy('A b', least)}`,
      ...['p', 'q', 's'].map((name) => `DELETE ${policies}/$NS-${name}`),
      ...['p', 'q', 'r', 't'].map((name) => `DELETE ${bindings}/$NS-${name}`),
    ],
  },
  'policies that are refused': {
    requests: refusedPolicies.map((spec) => `POST ${policies}?dryRun=All ${policy('$NS-refused', spec)}`),
  },
  'bindings that are refused': {
    requests: refusedBindings.map((spec) => `POST ${bindings}?dryRun=All ${binding('$NS-refused', spec)}`),
  },
  'requests that are judged': {
    installed: {
      plain: deny('object.data.a == "b"'),
      message: deny('false', { message: ' not that ' }),
      told: deny('false', { messageExpression: '"it is " + object.metadata.name', message: 'other' }),
      mute: deny('false', { messageExpression: '" "', message: 'the other' }),
      lines: deny('false', { messageExpression: '"a\\nb"' }),
      failing: deny('false', { messageExpression: 'string(object.nope)', message: 'the other' }),
      forbidden: deny('false', { reason: 'Forbidden', message: 'no' }),
      large: deny('false', { reason: 'RequestEntityTooLarge', message: 'no' }),
      several: {
        spec: {
          ...least,
          validations: [
            { expression: 'true' },
            { expression: 'object.nope == 1' },
            { expression: 'false', reason: 'Forbidden' },
          ],
        },
      },
      ignoring: {
        spec: { ...least, failurePolicy: 'Ignore', validations: [{ expression: 'object.nope == 1' }] },
      },
      'ignoring-false': {
        spec: {
          ...least,
          failurePolicy: 'Ignore',
          validations: [{ expression: 'object.nope == 1' }, { expression: '1 == 2' }],
        },
      },
      warning: {
        spec: {
          ...least,
          validations: [{ expression: 'false', message: 'mind "this"' }, { expression: 'object.nope == 1' }],
        },
        bindings: [{ validationActions: ['Warn', 'Audit'] }],
      },
      auditing: { ...deny('false'), bindings: [{ validationActions: ['Audit'] }] },
      unbound: { ...deny('false'), bindings: [] },
      conditions: {
        spec: {
          ...least,
          matchConditions: [
            { name: 'named', expression: ' object.metadata.name.startsWith("c") ' },
            { name: 'data', expression: 'object.data.a == "b"' },
          ],
          validations: [{ expression: 'false' }],
        },
      },
      'conditions-fail': {
        spec: {
          ...least,
          matchConditions: [
            { name: 'one', expression: 'object.nope == 1' },
            { name: 'two', expression: 'object.nope2 == 1' },
          ],
          validations: [{ expression: 'false' }],
        },
      },
      'conditions-ignore': {
        spec: {
          ...least,
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'one', expression: 'object.nope == 1' }],
          validations: [{ expression: 'false' }],
        },
      },
      variables: {
        spec: {
          ...least,
          variables: [
            { name: 'size', expression: 'int(object.data.size)' },
            { name: 'twice', expression: 'variables.size * 2' },
            { name: 'never', expression: 'object.nope' },
          ],
          validations: [
            { expression: 'variables.twice < 10', messageExpression: '"size is " + string(variables.twice)' },
            { expression: 'object.metadata.name != "v-never" || variables.never' },
          ],
        },
      },
      excluding: {
        spec: {
          ...least,
          matchConstraints: {
            resourceRules: rules,
            excludeResourceRules: [{ ...rules[0], resourceNames: ['excluded'] }],
          },
          validations: [{ expression: 'false' }],
        },
      },
      named: {
        spec: {
          ...least,
          matchConstraints: { resourceRules: [{ ...rules[0], resourceNames: ['named'] }] },
          validations: [{ expression: 'false' }],
        },
      },
      narrowed: {
        ...deny('false'),
        bindings: [
          {
            validationActions: ['Deny'],
            matchResources: { objectSelector: { matchLabels: { narrow: 'yes' } } },
          },
        ],
      },
      cluster: {
        spec: {
          ...least,
          matchConstraints: { resourceRules: [{ ...rules[0], scope: 'Cluster' }] },
          validations: [{ expression: 'false' }],
        },
      },
      annotated: {
        spec: {
          ...least,
          auditAnnotations: [{ key: 'k', valueExpression: '"value of " + object.metadata.name' }],
        },
      },
      'annotated-fail': {
        spec: { ...least, auditAnnotations: [{ key: 'k', valueExpression: 'string(object.nope)' }] },
      },
    },
    requests: [
      create('a', 'plain'),
      create('a', 'plain', { data: { a: 'c' } }),
      create('a', 'plain', { data: { a: 'b' } }),
      'PATCH:merge $CONFIGMAPS/a {"data":{"a":"c"}}',
      'PATCH:merge $CONFIGMAPS/a?dryRun=All {"data":{"a":"c"}}',
      `PUT $CONFIGMAPS/a ${configMap('a', 'plain', { data: { a: 'd' } })}`,
      'PATCH:apply $CONFIGMAPS/a?fieldManager=m&force=true {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"e"}}',
      'GET $CONFIGMAPS/a',
      'DELETE $CONFIGMAPS/a',
      ...['message', 'told', 'mute', 'lines', 'failing', 'forbidden', 'large', 'several'].map((name) =>
        create('b', name),
      ),
      ...['ignoring', 'ignoring-false', 'warning', 'auditing', 'unbound'].map((name) => create(name, name)),
      create('c', 'conditions'),
      create('c', 'conditions', { data: { a: 'b' } }),
      create('d', 'conditions', { data: { a: 'b' } }),
      create('e', 'conditions'),
      create('f', 'conditions-fail'),
      create('g', 'conditions-ignore'),
      create('v', 'variables', { data: { size: '3' } }),
      create('v-large', 'variables', { data: { size: '5' } }),
      create('v-fails', 'variables', { data: { size: 'x' } }),
      create('v-never', 'variables', { data: { size: '1' } }),
      create('excluded', 'excluding'),
      create('included', 'excluding'),
      create('named', 'named'),
      create('unnamed', 'named'),
      create('narrowed', 'narrowed'),
      'POST $CONFIGMAPS {"metadata":{"name":"narrow","labels":{"policy":"narrowed","narrow":"yes"}}}',
      create('cluster', 'cluster'),
      create('annotated', 'annotated'),
      create('annotated-fail', 'annotated-fail'),
    ],
  },
  'expressions that are evaluated': {
    installed: Object.fromEntries(
      told.map((text, index) => [`told-${index}`, deny(`!(${text})`, { message: 'it is so' })]),
    ),
    requests: told.map((_, index) =>
      create(`told-${index}`, `told-${index}`, { data: { a: 'b', zero: '0', size: '5Mi' } }),
    ),
  },
  'params that are looked up': {
    prepared: [
      'POST $CONFIGMAPS {"metadata":{"name":"limits","labels":{"limits":"yes"}},"data":{"wanted":"b","allowed":"no"}}',
    ],
    installed: {
      named: {
        spec: { ...least, paramKind, validations: [{ expression: 'object.data.a == params.data.wanted' }] },
        bindings: [
          { validationActions: ['Deny'], paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
        ],
      },
      elsewhere: {
        spec: { ...least, paramKind, validations: [{ expression: 'params == null' }] },
        bindings: [
          {
            validationActions: ['Deny'],
            paramRef: { name: 'limits', namespace: '$NS', parameterNotFoundAction: 'Deny' },
          },
        ],
      },
      selected: {
        spec: {
          ...least,
          paramKind,
          validations: [
            {
              expression: 'params.data.allowed == "yes"',
              messageExpression: '"not with " + params.metadata.name + " of kind " + params.kind',
            },
          ],
        },
        bindings: [
          {
            validationActions: ['Deny'],
            paramRef: { selector: { matchLabels: { limits: 'yes' } }, parameterNotFoundAction: 'Deny' },
          },
        ],
      },
      absent: {
        spec: { ...least, paramKind },
        bindings: [
          { validationActions: ['Deny'], paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } },
        ],
      },
      'absent-allowed': {
        spec: { ...least, paramKind, validations: [{ expression: 'false' }] },
        bindings: [
          { validationActions: ['Deny'], paramRef: { name: 'absent', parameterNotFoundAction: 'Allow' } },
        ],
      },
      unreferenced: {
        spec: { ...least, paramKind, validations: [{ expression: 'params != null' }] },
        bindings: [{ validationActions: ['Deny'] }],
      },
      'unknown-kind': {
        spec: { ...least, paramKind: { apiVersion: 'example.com/v1', kind: 'Nope' } },
        bindings: [
          { validationActions: ['Deny'], paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } },
        ],
      },
      'of-the-cluster': {
        spec: {
          ...least,
          paramKind: { apiVersion: 'v1', kind: 'Namespace' },
          matchConditions: [{ name: 'c', expression: 'params.metadata.name != ""' }],
          validations: [{ expression: 'params.status.phase == "Gone"' }],
        },
        bindings: [
          { validationActions: ['Deny'], paramRef: { name: '$NS', parameterNotFoundAction: 'Deny' } },
        ],
      },
      'of-the-cluster-within': {
        spec: { ...least, paramKind: { apiVersion: 'v1', kind: 'Namespace' } },
        bindings: [
          {
            validationActions: ['Deny'],
            paramRef: { name: '$NS', namespace: '$NS', parameterNotFoundAction: 'Deny' },
          },
        ],
      },
    },
    requests: [
      create('a', 'named', { data: { a: 'b' } }),
      create('b', 'named', { data: { a: 'c' } }),
      ...[
        'elsewhere',
        'selected',
        'absent',
        'absent-allowed',
        'unreferenced',
        'unknown-kind',
        'of-the-cluster',
        'of-the-cluster-within',
      ].map((name) => create(name, name)),
    ],
  },
  'other operations': {
    installed: {
      deletion: {
        spec: {
          ...operations(['DELETE'], ['configmaps']),
          validations: [
            {
              expression: 'object == null && oldObject.data.a != "b"',
              messageExpression: '"not " + oldObject.metadata.name + request.name',
            },
          ],
        },
      },
      status: {
        spec: {
          ...operations(['UPDATE'], ['persistentvolumeclaims/status']),
          validations: [{ expression: 'object.status.phase != "Lost" || request.subResource != "status"' }],
        },
      },
      claims: {
        spec: {
          ...operations(['*'], ['persistentvolumeclaims']),
          validations: [
            { expression: 'request.operation != "DELETE" || has(oldObject.metadata.annotations)' },
          ],
        },
      },
      everything: {
        spec: {
          ...operations(['CREATE'], ['*/*']),
          validations: [
            {
              expression: 'false',
              messageExpression: 'request.kind.kind + request.?subResource.orValue("")',
            },
          ],
        },
      },
      binding: {
        spec: {
          matchConstraints: {
            resourceRules: [{ ...rules[0], operations: ['CREATE'], resources: ['pods/binding'] }],
            objectSelector: {},
          },
          validations: [
            { expression: 'object.target.name != "bad"', message: 'not there' },
            { expression: 'request.name == "pod" && request.resource.resource == "pods"' },
          ],
        },
      },
      eviction: {
        spec: {
          matchConstraints: {
            resourceRules: [{ ...rules[0], operations: ['CREATE'], resources: ['pods/eviction'] }],
            objectSelector: {},
          },
          validations: [{ expression: 'false', messageExpression: 'object.kind + request.kind.group' }],
        },
      },
    },
    requests: [
      create('a', 'deletion', { data: { a: 'b' } }),
      create('b', 'deletion', { data: { a: 'c' } }),
      'DELETE $CONFIGMAPS/a',
      'DELETE $CONFIGMAPS/a?dryRun=All',
      'DELETE $CONFIGMAPS/b',
      'DELETE $CONFIGMAPS?labelSelector=policy=deletion',
      claim('c', 'status'),
      'PATCH:merge $CLAIMS/c/status {"status":{"phase":"Bound"}}',
      'PATCH:merge $CLAIMS/c/status {"status":{"phase":"Lost"}}',
      'PATCH:merge $CLAIMS/c {"metadata":{"annotations":{"a":"b"}}}',
      claim('d', 'claims'),
      'DELETE $CLAIMS/d',
      'DELETE $CLAIMS?labelSelector=policy=claims',
      claim('e', 'claims', { annotations: { a: 'b' } }),
      'DELETE $CLAIMS/e',
      claim('f', 'everything'),
      claim('g', 'everything', { name: undefined, generateName: 'g-' }),
      'POST $PODS {"metadata":{"name":"pod"},"spec":{"containers":[{"name":"c","image":"i"}]}}',
      'POST $PODS/pod/binding {"metadata":{"name":"pod"},"target":{"kind":"Node","name":"bad"}}',
      'POST $PODS/pod/eviction {"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"pod"}}',
      'POST $PODS/pod/binding {"metadata":{"name":"pod"},"target":{"kind":"Node","name":"good"}}',
      'DELETE $PODS/pod?gracePeriodSeconds=0',
    ],
  },
};
