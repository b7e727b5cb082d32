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
