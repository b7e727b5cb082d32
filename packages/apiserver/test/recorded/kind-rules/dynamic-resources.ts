import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* Devices, and the claims to them. */

const spec = (fields: Fields): Fields => ({ spec: fields });
const long = 'a'.repeat(64);
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const keyed = <Value>(names: readonly string[], value: Value): Readonly<Record<string, Value>> =>
  Object.fromEntries(names.map((name) => [name, value]));

const device = (fields: Fields): Fields => spec({ devices: [{ name: 'd', ...fields }] });
const attribute = (fields: Fields): Fields => device({ attributes: { a: fields } });
const named = (name: string): Fields => device({ attributes: { [name]: { int: 1 } } });
const taint = (fields: Fields): Fields =>
  device({ taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z', ...fields }] });
const capacity = (fields: Fields): Fields => device({ capacity: { c: { value: '10', ...fields } } });
const policy = (requestPolicy: Fields): Fields =>
  device({ allowMultipleAllocations: true, capacity: { c: { value: '10', requestPolicy } } });
const range = (fields: Fields): Fields => policy({ default: '4', validRange: { min: '2', ...fields } });
const counters = { c: { value: '1' } };
const shared = (...sharedCounters: readonly Fields[]): Fields => spec({ devices: null, sharedCounters });
const consumed = (...consumesCounters: readonly Fields[]): Fields => device({ consumesCounters });
const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
const place = (fields: Fields): Fields => ({
  spec: { nodeName: null, perDeviceNodeSelection: true, devices: [{ name: 'd', ...fields }] },
});

export const resourceSlices: RuleStory = {
  collection: '/apis/resource.k8s.io/v1/resourceslices',
  name: '$NS',
  right: spec({
    driver: 'd.example.com',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'd', attributes: { a: { string: 's' } }, capacity: { c: { value: '1Gi' } } }],
  }),
  creates: [
    ...[
      { driver: '' },
      { driver: 'D.example.com' },
      { driver: 'a b' },
      { driver: long },
      { pool: null },
      { pool: { name: 'a/b' } },
      { pool: { name: 'A/b c' } },
      { pool: { name: `${long}.${long}.${long}.${long}` } },
      { pool: { generation: -1, resourceSliceCount: 0 } },
      { nodeName: null },
      { nodeName: '' },
      { nodeName: 'A b' },
      { allNodes: true },
      { allNodes: false },
      { nodeName: null, allNodes: true },
      { nodeName: null, perDeviceNodeSelection: true },
      { nodeName: null, perDeviceNodeSelection: false },
      { nodeName: null, nodeSelector: {} },
      { nodeName: null, nodeSelector: { nodeSelectorTerms: [term] } },
      { nodeName: null, nodeSelector: { nodeSelectorTerms: [term, term] } },
      {
        nodeName: null,
        nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'a', operator: 'In' }] }] },
      },
      { allNodes: true, nodeSelector: { nodeSelectorTerms: [term] } },
      { devices: null },
      { devices: [], sharedCounters: [] },
      { devices: [{ name: 'd' }, { name: 'd' }] },
      { devices: many(129).map((name) => ({ name })) },
      { devices: many(65).map((name) => ({ name, taints: [{ key: 'a', effect: 'None' }] })) },
    ].map(spec),
    device({ name: '' }),
    device({ name: 'A.b' }),
    device({ attributes: keyed(many(20), { int: 1 }), capacity: keyed(many(13), { value: '1' }) }),
    attribute({}),
    attribute({ int: 1, bool: true }),
    attribute({ string: long }),
    attribute({ string: `${long}a` }),
    attribute({ version: '1.2' }),
    attribute({ version: '1.2.3-a.b+c' }),
    attribute({ version: `1.2.3-${long}` }),
    attribute({ ints: [1] }),
    attribute({ int: 1, unknown: 1 }),
    named('A_b'),
    named('1a'),
    named(long),
    named('a.com/b'),
    named('/b'),
    named('a.com/'),
    named('A b/c'),
    named('a/b/c'),
    capacity({ requestPolicy: {} }),
    policy({}),
    policy({ validValues: ['1'] }),
    policy({ default: '2', validValues: ['1', '2', '4'] }),
    policy({ default: '3', validValues: ['2', '1', '11'] }),
    policy({ default: '1', validValues: ['1', '1'] }),
    policy({ default: '1', validValues: Array.from({ length: 11 }, (_, index) => `${index}`) }),
    policy({ default: '1', validValues: ['1'], validRange: { min: '1' } }),
    policy({ validRange: { min: '1' } }),
    range({}),
    range({ min: null }),
    range({ min: '11' }),
    range({ min: '5' }),
    range({ max: '8', step: '2' }),
    range({ max: '3', step: '3' }),
    range({ max: '1' }),
    range({ max: '11', step: '9' }),
    taint({}),
    taint({ key: '' }),
    taint({ value: 'a b' }),
    taint({ effect: '' }),
    taint({ effect: 'Sometimes' }),
    device({ taints: many(17).map((key) => ({ key, effect: 'None' })) }),
    consumed({ counterSet: 's', counters }),
    consumed({}),
    consumed({ counterSet: 'A b', counters: { 'A b': { value: '1' } } }),
    consumed({ counterSet: 's', counters }, { counterSet: 's', counters }),
    consumed(...many(3).map((counterSet) => ({ counterSet, counters }))),
    consumed({ counterSet: 's', counters: keyed(many(33), { value: '1' }) }),
    shared({ name: 's', counters }),
    shared({ name: '' }),
    shared({ name: 'A b', counters: {} }),
    shared({ name: 's', counters }, { name: 's', counters }),
    shared(...many(9).map((name) => ({ name, counters }))),
    spec({ sharedCounters: [{ name: 's', counters }] }),
    place({}),
    place({ nodeName: 'n' }),
    place({ nodeName: '' }),
    place({ nodeName: 'A b', allNodes: true }),
    place({ allNodes: false }),
    place({ nodeSelector: {} }),
    place({ nodeSelector: { nodeSelectorTerms: [term, term] } }),
    device({ nodeName: 'n' }),
    device({ bindsToNode: true, bindingConditions: ['a'], bindingFailureConditions: ['b'] }),
    device({ bindingConditions: ['a'] }),
    device({ bindingFailureConditions: ['a b'] }),
    device({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['a', 'b', 'b'] }),
    device({ bindingConditions: many(5), bindingFailureConditions: ['a'] }),
    { metadata: { name: 'A' } },
    { metadata: { finalizers: ['f'] } },
  ],
  updates: [
    spec({ driver: 'e.example.com' }),
    spec({ nodeName: 'm' }),
    spec({ nodeName: null, allNodes: true }),
    spec({ pool: { name: 'q' } }),
    spec({ pool: { generation: 2 } }),
    taint({ effect: '' }),
    taint({}),
    device({ name: 'A' }),
    spec({ devices: null }),
  ],
};

const group = '/apis/resource.k8s.io/v1';
const selectors = (expression: string): Fields => ({ selectors: [{ cel: { expression } }] });
const opaque = (fields: Fields): Fields => ({
  config: [{ opaque: { driver: 'd.example.com', parameters: { a: 1 }, ...fields } }],
});
const expressions = [
  'true',
  'device.driver == "d"',
  'device.attributes["d.example.com"].a',
  'device.attributes["d.example.com"].a == 1 && "a" in device.attributes["d.example.com"]',
  'device.capacity["d"].c.compareTo(quantity("1Gi")) >= 0',
  'device.allowMultipleAllocations',
  'device.attributes["d"].v.isGreaterThan(semver("1.0.0"))',
  '1',
  'device.driver',
  'device.unknown',
  'other',
  'device.driver + 1 == 2',
];

export const deviceClasses: RuleStory = {
  collection: `${group}/deviceclasses`,
  name: '$NS',
  right: spec({}),
  creates: [
    ...expressions.map((expression) => spec(selectors(expression))),
    ...[
      selectors(`"${'a'.repeat(10_241)}" == ""`),
      { selectors: [{}] },
      { selectors: many(33).map(() => ({ cel: { expression: 'true' } })) },
      { config: [{}] },
      opaque({}),
      opaque({ driver: '', parameters: null }),
      opaque({ driver: 'D.example.com', parameters: {} }),
      opaque({ driver: 'a b', parameters: [] }),
      opaque({ parameters: 'x' }),
      opaque({ parameters: { a: 'x'.repeat(10_240) } }),
      { config: many(33).map(() => ({})) },
      { extendedResourceName: '' },
      { extendedResourceName: 'cpu' },
      { extendedResourceName: 'e.com/x' },
      { extendedResourceName: 'requests.e.com/x' },
    ].map(spec),
    { metadata: { name: 'A' } },
    { metadata: { name: 'a'.repeat(254) } },
  ],
  updates: [
    spec(selectors('1')),
    spec(selectors('true')),
    spec({ selectors: null, config: [{}] }),
    { metadata: { labels: { a: 'b' } } },
  ],
};

const exactly = { deviceClassName: 'c' };
const requests = (...list: readonly Fields[]): Fields => ({ devices: { requests: list } });
const exact = (fields: Fields): Fields => requests({ name: 'r', exactly: { ...exactly, ...fields } });
const first = (...list: readonly Fields[]): Fields => requests({ name: 'r', firstAvailable: list });
const toleration = (fields: Fields): Fields => exact({ tolerations: [fields] });
const beside = (fields: Fields): Fields => ({
  devices: {
    requests: [
      { name: 'r', exactly },
      { name: 's', firstAvailable: [{ name: 't', ...exactly }] },
    ],
    ...fields,
  },
});
const constraint = (fields: Fields): Fields => beside({ constraints: [fields] });
const claims: readonly Fields[] = [
  requests(),
  requests({ name: 'r' }),
  requests({ name: 'A.b', exactly }),
  requests({ name: 'r', exactly }, { name: 'r', exactly }),
  requests(...many(33).map((name) => ({ name, exactly }))),
  requests({ name: 'r', exactly, firstAvailable: [{ name: 's', ...exactly }] }),
  first({ name: '' }),
  first({ name: 's', ...exactly }, { name: 's', ...exactly }),
  first(...many(9).map((name) => ({ name, ...exactly }))),
  first({ name: 's', ...exactly, selectors: [{}], allocationMode: 'All' }),
  exact({ deviceClassName: '' }),
  exact({ deviceClassName: 'A b' }),
  exact({ allocationMode: '' }),
  exact({ allocationMode: 'All' }),
  exact({ allocationMode: 'All', count: 1 }),
  exact({ allocationMode: 'Sometimes' }),
  exact({ count: -1 }),
  exact({ count: 2 }),
  exact({ adminAccess: true }),
  exact({ adminAccess: false }),
  exact({ selectors: [{}] }),
  exact(selectors('device.unknown')),
  exact({ capacity: { requests: { c: '-1' } } }),
  toleration({}),
  toleration({ key: 'a b' }),
  toleration({ key: 'a', operator: 'Exists', value: 'b' }),
  toleration({ key: 'a', operator: 'Equal', value: 'a b' }),
  toleration({ operator: 'Sometimes', effect: 'Sometimes' }),
  toleration({ operator: '', effect: 'None' }),
  constraint({}),
  constraint({ matchAttribute: 'd.example.com/a' }),
  constraint({ matchAttribute: 'a' }),
  constraint({ distinctAttribute: '/' }),
  constraint({ matchAttribute: 'd/a', distinctAttribute: 'a' }),
  constraint({ matchAttribute: 'd/a', requests: ['r', 's/t', 's'] }),
  constraint({ matchAttribute: 'd/a', requests: ['r', 'r'] }),
  constraint({ matchAttribute: 'd/a', requests: ['x', 'r/t', 's/t/u', 'A b'] }),
  beside({ constraints: many(33).map(() => ({ matchAttribute: 'd/a' })) }),
  beside(opaque({})),
  beside({ config: [{ requests: ['x'] }] }),
  beside({ config: [{ requests: ['r'], opaque: { driver: 'd', parameters: 1 } }] }),
];

const result = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'd' };
const results = (...list: readonly Fields[]): Fields => ({
  status: { allocation: { devices: { results: list } } },
});
const shared1 = '01234567-89ab-cdef-0123-456789abcdef';
const consumer = { resource: 'pods', name: 'p', uid: 'u' };
const statusOf = (fields: Fields): Fields => ({
  status: { devices: [{ driver: 'd.example.com', pool: 'p', device: 'd', ...fields }] },
});
const condition = {
  type: 'T',
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

export const resourceClaims: RuleStory = {
  collection: `${group}/namespaces/$NS/resourceclaims`,
  right: spec(beside({})),
  creates: [
    ...claims.map(spec),
    results(result),
    { metadata: { name: 'A' } },
    { metadata: { finalizers: ['f'] } },
  ],
  statuses: [
    { status: { reservedFor: [consumer] } },
    results({}),
    results({ ...result, request: 'x' }),
    results({ ...result, request: 's/t', driver: 'a b', pool: 'A', device: 'A' }),
    results({ ...result, shareID: 'x' }),
    results({ ...result, shareID: shared1.toUpperCase() }),
    results({ ...result, shareID: shared1.replaceAll('-', 'x') }),
    results({ ...result, bindingConditions: ['a'] }),
    results(result, { ...result, adminAccess: true, device: '' }),
    results({ ...result, adminAccess: false }, ...many(32).map(() => result)),
    { status: { allocation: { nodeSelector: {} } } },
    { status: { allocation: { devices: { config: [{}] } } } },
    { status: { allocation: { devices: { config: [{ source: 'Sometimes', requests: ['x'] }] } } } },
    statusOf({}),
    results(result),
    results({ ...result, device: 'e' }),
    { status: { reservedFor: [{}] } },
    { status: { reservedFor: [consumer, consumer] } },
    { status: { reservedFor: [consumer] }, metadata: { labels: { from: 'status' } } },
    statusOf({}),
    statusOf({ driver: '', device: 'x' }),
    statusOf({ shareID: shared1 }),
    statusOf({ conditions: [{}] }),
    statusOf({ conditions: many(9).map((type) => ({ ...condition, type })) }),
    statusOf({ data: 'x' }),
    statusOf({ data: {} }),
    statusOf({ networkData: { interfaceName: 'x'.repeat(257), hardwareAddress: 'x'.repeat(129) } }),
    statusOf({ networkData: { ips: ['10.0.0.1/8', '10.0.0.1', '10.0.0.1/8', '::0/64'] } }),
    { ...statusOf({ networkData: { ips: ['10.0.0.1/8'] } }), ...spec(beside({})) },
    { status: { allocation: null } },
    { status: { allocation: null, reservedFor: null } },
  ],
  updates: [
    spec(exact({})),
    spec(beside({ constraints: [{}] })),
    spec({ devices: { requests: [] } }),
    spec(exact(selectors('device.unknown'))),
    { metadata: { labels: { a: 'b' } }, status: null },
  ],
};

const template = (fields: Fields): Fields => spec({ spec: fields });

export const resourceClaimTemplates: RuleStory = {
  collection: `${group}/namespaces/$NS/resourceclaimtemplates`,
  right: template(exact({})),
  creates: [
    ...claims.map(template),
    spec({ spec: null }),
    spec({ metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }),
    spec({ metadata: { labels: { a: 'b c' } } }),
    spec({ metadata: { annotations: { 'a b': 'c' } } }),
    spec({ metadata: { name: 'n', finalizers: ['f'] } }),
    { metadata: { name: 'A' } },
  ],
  updates: [
    template(exact({ count: 2 })),
    template(exact({ count: -1, selectors: [{}] })),
    spec({ metadata: { labels: { a: 'b' } } }),
    { metadata: { labels: { a: 'b' } } },
  ],
};
