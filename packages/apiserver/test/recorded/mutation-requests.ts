import type { Installed, PolicyScenario } from './policy-requests.ts';

/*
 * Requests about MutatingAdmissionPolicies: the kinds themselves, what they are refused for, and requests that policies
 * change. Lines as replay.ts reads them.
 */

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/mutatingadmissionpolicies`;
const bindings = `${root}/mutatingadmissionpolicybindings`;

type Fields = Readonly<Record<string, unknown>>;

const rules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];
const ofDeployments = [{ ...rules[0], apiGroups: ['apps'], resources: ['deployments'] }];
const applied = (expression: string): Fields => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): Fields => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const least: Fields = {
  matchConstraints: { resourceRules: rules },
  mutations: [applied('Object{}')],
  reinvocationPolicy: 'Never',
};
const leastBinding: Fields = { policyName: 'p' };

const policy = (name: string, spec: Fields): string =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec,
  });
const binding = (name: string, spec: Fields): string =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec,
  });
const rule = (more: Fields): Fields => ({
  ...least,
  matchConstraints: { resourceRules: [{ ...rules[0], ...more }] },
});
const mutation = (...mutations: readonly Fields[]): Fields => ({ ...least, mutations });
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };

/** Of ApplyConfigurations. */
const refusedObjects: readonly string[] = [
  '',
  ' ',
  '1',
  'object',
  'object.spec',
  '{"a": 1}',
  'Object.spec{}',
  'Invalid{}',
  'Objects{}',
  'Object{a: nope}',
  'Object{a: 1, a: 2}',
  'Object{?a: 1}',
  'Object{a: Invalid{}}',
  'Object{a: {?"b": 1}}',
  'Object{a: [?1]}',
  '[Object{}]',
  'JSONPatch{}',
  'true ? Object{} : Object.spec{}',
  'true ? Object{} : {}',
  'dyn(Object{})',
  'Object{list: [1, "a"]}',
  'Object{}.nope(1)',
  'k8s_new("Object", [])',
  'Object{a: jsonpatch.escapeKey(1)}',
  'Object{a: params.data}',
  'Object{a: variables.a}',
  'Object{\n  a: "x",\n  b: nope\n}',
  'Object{a: request.nope}',
  'Object{a: 1 + "a"}',
  'Object{a: {"b": object.b, "c": "d"}}',
  'Object{} == Object{}',
  'Object{a: Object.a{b: nope}}',
];

/** Of ApplyConfigurations that are in order as they are written. */
const takenObjects: readonly string[] = [
  'Object{}',
  ' Object { a : 1 , } ',
  'Object{a: optional.of(1)}',
  'Object{?a: optional.of(1)}',
  'Object{?a: object.?b}',
  'Object{a: Object.b.c{}}',
  'Object{a: "x{y}", b: r"\\{", c: """{""", d: \'{\'}',
  'Object{a: 1 // Object{\n}',
  'Object{namespace: 1, Object: Object.Object{}}',
  'Object{a: {"b": Object.a{}}, c: [Object.c{}, Object.c{d: 1}]}',
  'true ? Object{} : Object{a: 1}',
  'Object{a: [1, 2].map(x, Object.a{b: x})}',
  'Object{a: has(object.b) ? object.b : 1}',
  'Object{a: Object.a{b: 1}.b}',
  'Object{a: Object{} == Object{}}',
  'Object{a: jsonpatch.escapeKey("a")}',
  'Object{a: authorizer.path("/").check("get").reason()}',
  '[Object{}][0]',
];

/** Of JSONPatches. */
const refusedPatches: readonly string[] = [
  '',
  '[]',
  '[1]',
  '1',
  'JSONPatch{}',
  '[JSONPatch{op: 1}]',
  '[JSONPatch{path: 1}]',
  '[JSONPatch{from: ["a"]}]',
  '[JSONPatch{op: "add", path: Invalid{}}]',
  '[JSONPatch{op: null}]',
  '[JSONPatch{nope: 1}]',
  '[Object{}]',
  'Object{}',
  '[JSONPatch{}, Object{}]',
  '[JSONPatch.a{}]',
  'dyn([JSONPatch{}])',
  '{"a": JSONPatch{}}',
  '[JSONPatch{op: "add", path: "/a/" + 1}]',
  '[JSONPatch{value: nope}]',
];

const takenPatches: readonly string[] = [
  '[JSONPatch{}]',
  '[JSONPatch{op: "odd"}]',
  '[JSONPatch{op: object.a, path: object.b}]',
  '[JSONPatch{?value: object.?b}]',
  'true ? [] : [JSONPatch{}]',
  '[JSONPatch{}] + []',
  '[JSONPatch{}].filter(x, x.op == "add")',
  'object.list.map(x, JSONPatch{op: "add", path: "/a/" + x, value: Object.a{}})',
];

const refusedPolicies: readonly Fields[] = [
  {},
  { matchConstraints: {} },
  { ...least, failurePolicy: 'Odd' },
  { ...least, reinvocationPolicy: 'Odd' },
  { ...least, reinvocationPolicy: '' },
  { ...least, matchConstraints: { resourceRules: rules, matchPolicy: 'Odd' } },
  rule({ operations: [] }),
  rule({ operations: ['DELETE', 'ODD'] }),
  rule({ operations: ['*'] }),
  rule({ operations: ['CONNECT', 'DELETE'] }),
  rule({ resourceNames: ['a', 'a', 'b/c'] }),
  { ...least, paramKind: {} },
  { ...least, paramKind: { apiVersion: 'a/b/c', kind: 'A B' } },
  mutation(),
  mutation({}),
  mutation({ patchType: 'Odd' }),
  mutation({ patchType: 'JSONPatch' }),
  mutation({ patchType: 'ApplyConfiguration' }),
  mutation({ ...applied('Object{}'), jsonPatch: { expression: '[JSONPatch{}]' } }),
  mutation({ ...patched('[JSONPatch{}]'), applyConfiguration: { expression: 'Object{}' } }),
  mutation({ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }),
  mutation(applied('Object{}'), applied('nope')),
  { ...least, variables: [{ name: 'a-b', expression: 'nope' }] },
  { ...least, matchConditions: [{ name: 'a', expression: 'variables.a' }] },
  { ...least, matchConditions: [{ name: 'a b', expression: '1' }] },
  {
    ...least,
    variables: [{ name: 'a', expression: '"x"' }],
    mutations: [applied('Object{a: variables.b}'), applied('Object{a: variables.a + 1}')],
  },
];

const reference = (more: Fields): Fields => ({ ...leastBinding, paramRef: more });
const refusedBindings: readonly Fields[] = [
  {},
  { policyName: 'A b' },
  reference({}),
  reference({ name: 'a', selector: {}, parameterNotFoundAction: 'Deny' }),
  reference({ name: 'a' }),
  reference({ name: 'a', parameterNotFoundAction: 'Odd' }),
  { ...leastBinding, matchResources: { matchPolicy: 'Odd' } },
  { ...leastBinding, matchResources: { resourceRules: [{ ...rules[0], operations: ['DELETE'] }] } },
  { ...leastBinding, matchResources: { resourceRules: [{ ...rules[0], operations: ['*'] }] } },
];

const configMap = (name: string, label: string, more: Fields = {}): string =>
  JSON.stringify({ metadata: { name, labels: { policy: label } }, ...more });
const create = (name: string, label: string, more: Fields = {}): string =>
  `POST $CONFIGMAPS ${configMap(name, label, more)}`;
const deployments = '/apis/apps/v1/namespaces/$NS/deployments';
const deployment = (label: string): string =>
  `POST ${deployments}?dryRun=All ${JSON.stringify({
    metadata: { name: label, labels: { policy: label } },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers: [
            { name: 'one', image: 'one:1', args: ['x'], ports: [{ containerPort: 80 }] },
            { name: 'two', image: 'two:1', env: [{ name: 'A', value: 'a' }] },
          ],
        },
      },
    },
  })}`;

const metadataObject = (fields: string): string => `Object{metadata: Object.metadata{${fields}}}`;

/** Of a config map with data a, one and zero. */
const objectsOfMap: readonly string[] = [
  'Object{}',
  metadataObject('labels: {"a": "b"}'),
  metadataObject('?labels: optional.none()'),
  metadataObject('?labels: optional.of({"o": "p"})'),
  metadataObject('?annotations: object.metadata.?labels'),
  metadataObject('?annotations: object.metadata.?nope'),
  metadataObject('name: "other"'),
  metadataObject('namespace: "other"'),
  metadataObject('finalizers: ["a.example/x"]'),
  metadataObject('finalizers: ["a.example/x", "a.example/x"]'),
  metadataObject('annotations: {"k": jsonpatch.escapeKey("a/b~c")}'),
  metadataObject(
    'ownerReferences: [Object.metadata.ownerReferences{apiVersion: "v1", kind: "Pod", name: "p", uid: "u"}]',
  ),
  metadataObject('labels: {"not valid": "x"}'),
  'Object{data: {"a": "changed", "new": "x"}}',
  'Object{data: {"a": null}}',
  'Object{nope: 1}',
  'Object{data: {"a": 1}}',
  'Object{data: {"a": 1.5}}',
  'Object{data: {"a": true}}',
  'Object{data: "a"}',
  'Object{data: ["a"]}',
  'Object{metadata: "a"}',
  'Object{metadata: Object.spec{}}',
  'Object{data: Object.nope{a: "x"}}',
  'Object{metadata: {"labels": {"m": "n"}}}',
  'Object{kind: "Secret"}',
  'Object{apiVersion: "v2"}',
  'Object{immutable: true}',
  'Object{immutable: "true"}',
  'object.data.a == "b" ? Object{data: {"then": "1"}} : Object{}',
  'object.data.a == "c" ? Object{data: {"then": "1"}} : Object{}',
  'Object{data: object.data}',
  'Object{data: {"sum": string(1 + int(object.data.one))}}',
  'Object{data: {"n": object.nope}}',
  'Object{immutable: 1 / int(object.data.zero) == 1}',
  'Object{data: {"op": request.operation, "ns": namespaceObject.metadata.name, "kind": object.kind + request.kind.kind}}',
  'Object{data: {"may": string(authorizer.path("/metrics").check("get").allowed())}}',
  'Object{data: {"old": string(oldObject == null)}}',
  'Object{binaryData: {"b": "YWJj"}}',
  'Object{data: {"long": [1, 2, 3].all(x, [1, 2, 3].exists(y, x == y)) ? "yes" : "no"}}',
  'Object{data: {"q": string(quantity("1Gi").asInteger())}}',
  'Object{data: {"was": Object{data: {"x": "y"}}.data.x}}',
  'Object{data: {?"x": optional.of("y"), ?"z": optional.none()}}',
  metadataObject('finalizers: [?optional.of("a.example/x"), ?optional.none(), "a.example/y"]'),
  'Object{data: {"in": "a" in {"a": 1} ? "yes" : "no", "list": "a" in ["b"] ? "yes" : "no"}}',
  'Object{data: {?"x": has(object.nope) ? optional.of("y") : optional.none(), "y": "z"}}',
];

const podObject = (fields: string): string =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{${fields}}}}}`;
const containerType = 'Object.spec.template.spec.containers';

/** Of a deployment with containers one and two. */
const objectsOfDeployment: readonly string[] = [
  'Object{spec: Object.spec{replicas: 7}}',
  'Object{spec: Object.spec{replicas: "7"}}',
  'Object{spec: Object.spec{replicas: 7.0}}',
  'Object{spec: Object.spec{replicas: -1}}',
  'Object{spec: Object.spec{invalidField: "x"}}',
  'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"c": "d"}}}}',
  'Object{spec: Object.spec{strategy: Object.spec.strategy{type: "Recreate"}}}',
  'Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: "10%", maxUnavailable: 1}}}}',
  'Object{spec: Object.spec{paused: true, minReadySeconds: object.spec.replicas + 1}}',
  podObject(`containers: [${containerType}{name: "one", image: "other"}]`),
  podObject(`containers: [${containerType}{name: "three", image: "three:1"}]`),
  podObject(
    `containers: [${containerType}{name: "two", image: "2"}, ${containerType}{name: "one", image: "1"}]`,
  ),
  podObject(`containers: [${containerType}{name: "one"}, ${containerType}{name: "one"}]`),
  podObject(`containers: [${containerType}{name: "one", args: ["y"]}]`),
  podObject(`containers: [${containerType}{name: "one", nope: 1}]`),
  podObject(
    `containers: object.spec.template.spec.containers.map(c, ${containerType}{name: c.name, env: [${containerType}.env{name: "E", value: "v"}]})`,
  ),
  podObject(
    `containers: object.spec.template.spec.containers.filter(c, c.name == "two").map(c, ${containerType}{name: c.name, env: [${containerType}.env{name: "A", value: "changed"}]})`,
  ),
  podObject(
    `containers: [${containerType}{name: "one", resources: ${containerType}.resources{requests: {"cpu": "100m"}, limits: {"memory": "1Gi"}}}]`,
  ),
  podObject(
    `containers: [${containerType}{name: "one", ports: [${containerType}.ports{containerPort: 81}]}]`,
  ),
  podObject(
    'initContainers: [Object.spec.template.spec.initContainers{name: "mesh", image: "mesh:1", restartPolicy: "Always"}]',
  ),
  podObject('nodeSelector: {"a": "b"}'),
  podObject('tolerations: [Object.spec.template.spec.tolerations{operator: "Exists"}]'),
  podObject('securityContext: Object.spec.template.spec.securityContext{runAsNonRoot: true}'),
  podObject('containers: [Object.spec.template.spec.wrong{name: "one"}]'),
  podObject(
    'volumes: [Object.spec.template.spec.volumes{name: "v", emptyDir: Object.spec.template.spec.volumes.emptyDir{}}]',
  ),
  podObject('containers: []'),
  podObject(
    'affinity: Object.spec.template.spec.affinity{nodeAffinity: Object.spec.template.spec.affinity.nodeAffinity{}}',
  ),
];

/** Of a config map. */
const patchesOfMap: readonly string[] = [
  '[JSONPatch{op: "add", path: "/metadata/labels/x", value: "y"}]',
  'object.data.a == "nope" ? [JSONPatch{op: "add", path: "/data/z", value: "z"}] : []',
  '[JSONPatch{op: "test", path: "/data/a", value: "nope"}, JSONPatch{op: "add", path: "/data/z", value: "z"}]',
  '[JSONPatch{op: "test", path: "/data/a", value: "b"}, JSONPatch{op: "add", path: "/data/z", value: "z"}]',
  '[JSONPatch{op: "add", path: "/data/z", value: "z"}, JSONPatch{op: "test", path: "/data/a", value: "nope"}]',
  '[JSONPatch{op: "remove", path: "/data/a"}]',
  '[JSONPatch{op: "remove", path: "/data/nope"}]',
  '[JSONPatch{op: "remove", path: "/nope/nope"}]',
  '[JSONPatch{op: "remove", path: "/data"}]',
  '[JSONPatch{op: "replace", path: "/data/a", value: "c"}]',
  '[JSONPatch{op: "replace", path: "/data/nope", value: "c"}]',
  '[JSONPatch{op: "add", path: "/nope/nope", value: "c"}]',
  '[JSONPatch{op: "copy", from: "/data/a", path: "/data/copied"}]',
  '[JSONPatch{op: "move", from: "/data/a", path: "/data/moved"}]',
  '[JSONPatch{op: "copy", from: "/data/nope", path: "/data/copied"}]',
  '[JSONPatch{op: "move", from: "/data/nope", path: "/data/moved"}]',
  '[JSONPatch{op: "move", path: "/data/moved"}]',
  '[JSONPatch{op: "odd", path: "/data/a"}]',
  '[JSONPatch{}]',
  '[JSONPatch{op: "add", path: "data/a", value: "x"}]',
  '[JSONPatch{op: "add", path: "/data/a"}]',
  '[JSONPatch{op: "add", path: "/data/a", value: null}]',
  '[JSONPatch{op: "add", path: "/data", value: {"k": "v"}}]',
  '[JSONPatch{op: "add", path: "/data", value: Object.data{k: "v"}}]',
  '[JSONPatch{op: "add", path: "/metadata", value: Object.metadata{labels: Object.metadata.wrong{k: "v"}}}]',
  '[JSONPatch{op: "add", path: "/metadata/finalizers", value: ["a.example/x"]}, JSONPatch{op: "add", path: "/metadata/finalizers/-", value: "a.example/y"}]',
  '[JSONPatch{op: "add", path: "/data/a", value: 5}]',
  '[JSONPatch{op: "add", path: "/nope", value: "x"}]',
  '[JSONPatch{op: "add", path: "/immutable", value: "x"}]',
  '[JSONPatch{op: "add", path: "/immutable", value: true}]',
  '[JSONPatch{op: "add", path: "/data/d", value: duration("5s")}, JSONPatch{op: "add", path: "/data/t", value: timestamp("2000-01-01T00:00:00Z")}]',
  '[JSONPatch{op: "add", path: "/data/q", value: quantity("1")}]',
  '[JSONPatch{op: "add", path: "/binaryData", value: {"b": b"abc"}}]',
  '[JSONPatch{op: "add", path: "/metadata/generation", value: 9007199254740993}]',
  '[JSONPatch{op: "add", path: "/metadata/generation", value: 7}]',
  '[JSONPatch{op: "add", path: "/metadata/generation", value: 7.5}]',
  '[JSONPatch{op: "add", path: "/metadata/annotations", value: {}}, JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("a.b/c"), value: "x"}]',
  'object.data.map(k, JSONPatch{op: "add", path: "/data/" + k + "-again", value: object.data[k]})',
  'object.data.filter(k, k == "a").map(k, JSONPatch{op: "add", path: "/metadata/annotations/" + k, value: object.data[k]})',
  '[JSONPatch{op: "replace", path: "/metadata/name", value: "other"}]',
  '[JSONPatch{op: "remove", path: ""}]',
  '[JSONPatch{op: "remove", path: "/metadata/labels"}]',
  '[JSONPatch{op: "add", path: object.nope, value: "x"}]',
  '[JSONPatch{op: "add", path: "/data/x", ?value: object.data.?a}]',
  '[JSONPatch{op: object.data.a, path: "/data/x"}]',
  '[JSONPatch{op: "add", path: "/data/x", value: object.data.a}] + [JSONPatch{op: "add", path: "/data/y", value: object.data.a}]',
  '[JSONPatch{op: "add", path: "/metadata/labels", value: object.metadata.labels}]',
];

const patchesOfDeployment: readonly string[] = [
  '[JSONPatch{op: "replace", path: "/spec/replicas", value: 9}]',
  '[JSONPatch{op: "remove", path: "/spec/template/spec/containers/0"}]',
  '[JSONPatch{op: "remove", path: "/spec/template/spec/containers/2"}]',
  '[JSONPatch{op: "remove", path: "/spec/template/spec/containers"}]',
  '[JSONPatch{op: "remove", path: "/spec/template/spec/containers/0/args"}]',
  '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "three", image: "three:1"}}]',
  '[JSONPatch{op: "add", path: "/spec/template/spec/nodeSelector", value: {"a": "b"}}]',
  '[JSONPatch{op: "add", path: "/spec/template/spec/nope", value: 1}]',
  '[JSONPatch{op: "add", path: "/spec/strategy", value: {"type": "Recreate"}}]',
  '[JSONPatch{op: "replace", path: "/spec/replicas", value: "nine"}]',
  'object.spec.template.spec.containers.exists(c, c.name == "two") ? [JSONPatch{op: "add", path: "/spec/template/spec/hostNetwork", value: true}] : []',
];

const installed = (
  name: string,
  mutations: readonly Fields[],
  more: Fields = {},
): Record<string, Installed> => ({
  [name]: { spec: { ...least, mutations, ...more } },
});
const numbered = (
  prefix: string,
  expressions: readonly string[],
  make: (expression: string) => Fields,
  more: Fields = {},
): Readonly<Record<string, Installed>> =>
  Object.assign(
    {},
    ...expressions.map((text, index) => installed(`${prefix}-${index}`, [make(text)], more)),
  ) as Record<string, Installed>;

const data = { a: 'b', one: '1', zero: '0' };
const dry = (label: string): string => `POST $CONFIGMAPS?dryRun=All ${configMap(label, label, { data })}`;
const dataOf = (fields: string): Fields => applied(`Object{data: {${fields}}}`);
const forDeployments = { matchConstraints: { resourceRules: ofDeployments } };

export const mutationScenarios: Readonly<Record<string, PolicyScenario>> = {
  kinds: {
    requests: [
      `POST ${policies} ${policy('$NS-p', least)}`,
      `GET ${policies}/$NS-p`,
      `GET:table ${policies}/$NS-p`,
      `POST ${bindings} ${binding('$NS-p', { policyName: '$NS-p' })}`,
      `GET:table ${bindings}/$NS-p`,
      `POST ${policies} ${policy('$NS-q', {
        ...least,
        failurePolicy: 'Ignore',
        paramKind,
        reinvocationPolicy: 'IfNeeded',
        matchConstraints: { resourceRules: rules, excludeResourceRules: rules, matchPolicy: 'Exact' },
        mutations: [applied('Object{}'), patched('[JSONPatch{}]')],
      })}`,
      `GET:table ${policies}/$NS-q`,
      `POST ${bindings} ${binding('$NS-q', {
        policyName: '$NS-q',
        paramRef: { name: 'a', namespace: 'b', parameterNotFoundAction: 'Allow' },
        matchResources: {},
      })}`,
      `GET:table ${bindings}/$NS-q`,
      `POST ${bindings} ${binding('$NS-t', {
        policyName: '$NS-q',
        paramRef: { selector: { matchLabels: { b: 'c' } }, parameterNotFoundAction: 'Deny' },
      })}`,
      `GET:table ${bindings}/$NS-t`,
      `PATCH:merge ${policies}/$NS-p {"spec":{"failurePolicy":"Ignore"}}`,
      `PATCH:merge ${policies}/$NS-p {"metadata":{"labels":{"a":"b"}}}`,
      `PATCH:merge ${policies}/$NS-p {"spec":{"mutations":[]}}`,
      `PATCH:merge ${policies}/$NS-p/status {"status":{"a":"b"}}`,
      `PATCH:merge ${bindings}/$NS-p {"spec":{"policyName":""}}`,
      `PUT ${policies}/$NS-p ${policy('$NS-p', least)}`,
      `PUT ${policies}/$NS-absent ${policy('$NS-absent', least)}`,
      `PATCH:strategic ${policies}/$NS-p {"spec":{"variables":[{"name":"a","expression":"1"}]}}`,
      `PATCH:apply ${policies}/$NS-s?fieldManager=m ${policy('$NS-s', least)}`,
      `POST ${policies} ${policy('A b', least)}`,
      ...['p', 'q', 's'].map((name) => `DELETE ${policies}/$NS-${name}`),
      ...['p', 'q', 't'].map((name) => `DELETE ${bindings}/$NS-${name}`),
    ],
  },
  'policies that are refused': {
    requests: [
      ...refusedPolicies,
      ...refusedObjects.map((text) => mutation(applied(text))),
      ...refusedPatches.map((text) => mutation(patched(text))),
    ].map((spec) => `POST ${policies}?dryRun=All ${policy('$NS-refused', spec)}`),
  },
  'policies that are taken': {
    requests: [
      ...takenObjects.map((text) => mutation(applied(text))),
      ...takenPatches.map((text) => mutation(patched(text))),
    ].map((spec) => `POST ${policies}?dryRun=All ${policy('$NS-taken', spec)}`),
  },
  'bindings that are refused': {
    requests: refusedBindings.map((spec) => `POST ${bindings}?dryRun=All ${binding('$NS-refused', spec)}`),
  },
  'config maps that are applied to': {
    installed: numbered('object', objectsOfMap, applied),
    requests: objectsOfMap.map((_, index) => dry(`object-${index}`)),
  },
  'deployments that are applied to': {
    installed: numbered('object', objectsOfDeployment, applied, forDeployments),
    requests: objectsOfDeployment.map((_, index) => deployment(`object-${index}`)),
  },
  'config maps that are patched': {
    installed: numbered('patch', patchesOfMap, patched),
    requests: patchesOfMap.map((_, index) => dry(`patch-${index}`)),
  },
  'deployments that are patched': {
    installed: numbered('patch', patchesOfDeployment, patched, forDeployments),
    requests: patchesOfDeployment.map((_, index) => deployment(`patch-${index}`)),
  },
  'policies with more to them': {
    prepared: [
      'POST $CONFIGMAPS {"metadata":{"name":"limits","labels":{"limits":"yes"}},"data":{"wanted":"b"}}',
    ],
    installed: {
      ...installed(
        'several',
        [
          dataOf('"n": string(size(object.data))'),
          patched('[JSONPatch{op: "add", path: "/data/m", value: object.data.n + variables.a}]'),
          dataOf('"o": object.data.n + object.data.m + variables.a'),
        ],
        { variables: [{ name: 'a', expression: '"<" + object.data.?m.orValue("none") + ">"' }] },
      ),
      ...installed('partly', [
        dataOf('"n": object.data.nope'),
        dataOf('"m": "m"'),
        applied('Object{nope: 1}'),
        patched('[JSONPatch{op: "remove", path: "/data/nope"}]'),
      ]),
      ...installed(
        'partly-ignored',
        [
          dataOf('"n": object.data.nope'),
          dataOf('"m": "m"'),
          applied('Object{nope: 1}'),
          patched('[JSONPatch{op: "add", path: "/data/l", value: "l"}]'),
        ],
        { failurePolicy: 'Ignore' },
      ),
      ...installed('undecodable-ignored', [patched('[JSONPatch{op: "add", path: "/nope", value: 1}]')], {
        failurePolicy: 'Ignore',
      }),
      ...installed('conditions', [dataOf('"m": "m"')], {
        matchConditions: [
          { name: 'named', expression: 'object.metadata.name.startsWith("c")' },
          { name: 'data', expression: 'object.data.a == "b"' },
        ],
      }),
      ...installed('conditions-fail', [dataOf('"m": "m"')], {
        matchConditions: [
          { name: 'one', expression: 'object.nope == 1' },
          { name: 'two', expression: 'object.nope2 == 1' },
        ],
      }),
      ...installed('conditions-ignore', [dataOf('"m": "m"')], {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'one', expression: 'object.nope == 1' }],
      }),
      ...installed('variables-fail', [dataOf('"m": variables.a')], {
        variables: [{ name: 'a', expression: 'object.nope' }],
      }),
      ...installed('again', [dataOf('"m": object.data.?m.orValue("") + "x"')], {
        reinvocationPolicy: 'IfNeeded',
      }),
      'again-twice': {
        spec: {
          ...least,
          reinvocationPolicy: 'IfNeeded',
          mutations: [dataOf('"m": object.data.?m.orValue("") + "x"')],
        },
        bindings: [{}, {}],
      },
      'never-twice': {
        spec: { ...least, mutations: [dataOf('"m": object.data.?m.orValue("") + "x"')] },
        bindings: [{}, {}],
      },
      unbound: { spec: { ...least, mutations: [dataOf('"m": "m"')] }, bindings: [] },
      narrowed: {
        spec: { ...least, mutations: [dataOf('"m": "m"')] },
        bindings: [{ matchResources: { objectSelector: { matchLabels: { narrow: 'yes' } } } }],
      },
      named: {
        spec: {
          ...least,
          paramKind,
          mutations: [applied('Object{data: params.data}'), dataOf('"p": params.metadata.name')],
        },
        bindings: [{ paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }],
      },
      selected: {
        spec: { ...least, paramKind, mutations: [dataOf('"p": params.metadata.name')] },
        bindings: [
          { paramRef: { selector: { matchLabels: { limits: 'yes' } }, parameterNotFoundAction: 'Deny' } },
        ],
      },
      absent: {
        spec: { ...least, paramKind, mutations: [dataOf('"m": "m"')] },
        bindings: [{ paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } }],
      },
      'absent-allowed': {
        spec: { ...least, paramKind, mutations: [dataOf('"m": "m"')] },
        bindings: [{ paramRef: { name: 'absent', parameterNotFoundAction: 'Allow' } }],
      },
      'absent-ignored': {
        spec: { ...least, paramKind, failurePolicy: 'Ignore', mutations: [dataOf('"m": "m"')] },
        bindings: [{ paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } }],
      },
      'unknown-kind': {
        spec: { ...least, paramKind: { apiVersion: 'example.com/v1', kind: 'Nope' } },
        bindings: [{ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }],
      },
      ...installed('costly', [
        applied(
          'Object{immutable: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(b, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(c, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(d, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(e, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(f, a + b + c + d + e + f > 0))))))}',
        ),
      ]),
    },
    requests: [
      ...[
        ...[
          'several',
          'partly',
          'partly-ignored',
          'undecodable-ignored',
          'conditions-fail',
          'conditions-ignore',
        ],
        ...[
          'variables-fail',
          'again',
          'again-twice',
          'never-twice',
          'unbound',
          'narrowed',
          'named',
          'selected',
        ],
        ...['absent', 'absent-allowed', 'absent-ignored', 'unknown-kind', 'costly'],
      ].map(dry),
      create('c', 'conditions', { data }),
      create('d', 'conditions', { data }),
      create('cc', 'conditions', { data: { a: 'c' } }),
      'PATCH:merge $CONFIGMAPS/cc {"data":{"a":"b"}}',
      'PATCH:merge $CONFIGMAPS/cc {"data":{"m":null}}',
      `PUT $CONFIGMAPS/c ${configMap('c', 'conditions', { data: { a: 'b' } })}`,
      'PATCH:apply $CONFIGMAPS/c?fieldManager=m&force=true {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"m":"mine"}}',
      'GET $CONFIGMAPS/c',
      'DELETE $CONFIGMAPS/c',
      'POST $CONFIGMAPS {"metadata":{"name":"narrow","labels":{"policy":"narrowed","narrow":"yes"}}}',
    ],
  },
};
