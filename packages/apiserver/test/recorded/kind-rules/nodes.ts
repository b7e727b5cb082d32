import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* Nodes, with what their kubelets say of them. */

const spec = (fields: Fields): Fields => ({ spec: fields });
const status = (fields: Fields): Fields => ({ status: fields });
const taints = (...list: readonly Fields[]): Fields => spec({ taints: list });
const taint = { key: 'a', effect: 'NoSchedule' };
const noted = (name: string, text: string): Fields => ({
  metadata: { annotations: { [`scheduler.alpha.kubernetes.io/${name}`]: text } },
});
const avoided = (...preferAvoidPods: readonly Fields[]): Fields =>
  noted('preferAvoidPods', JSON.stringify({ preferAvoidPods }));
const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'r', uid: 'u' };
const features = (...declaredFeatures: readonly string[]): Fields => status({ declaredFeatures });
const long = 'x'.repeat(64);

export const nodes: RuleStory = {
  collection: '/api/v1/nodes',
  name: '$NS',
  right: {
    spec: { providerID: 'e://a', podCIDR: '10.1.0.0/24' },
    status: { capacity: { cpu: '4', memory: '1Gi' }, nodeInfo: { kubeletVersion: 'v1.36.3' } },
  },
  creates: [
    taints({}),
    taints({ ...taint, key: '' }),
    taints({ ...taint, key: 'a b' }),
    taints({ ...taint, key: 'e.com/x', value: 'a b' }),
    taints({ ...taint, value: `-${long}` }),
    taints({ ...taint, effect: '' }),
    taints({ ...taint, effect: 'Sometimes' }),
    taints(taint, taint),
    taints(taint, { ...taint, value: 'b' }, { ...taint, effect: 'NoExecute' }),
    taints({ ...taint, timeAdded: '2026-01-01T00:00:00Z' }),
    spec({ podCIDR: 'x' }),
    spec({ podCIDR: null, podCIDRs: ['x'] }),
    spec({ podCIDR: null, podCIDRs: ['10.1.0.0/24', 'x'] }),
    spec({ podCIDR: null, podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }),
    spec({ podCIDR: null, podCIDRs: ['fd00::/64', '10.1.0.0/24'] }),
    spec({ podCIDR: null, podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] }),
    spec({ podCIDR: null, podCIDRs: ['10.1.0.0/24', 'fd00::/64', '10.2.0.0/24'] }),
    spec({ podCIDR: null, podCIDRs: ['10.1.0.1/24'] }),
    spec({ podCIDR: '10.2.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }),
    spec({ podCIDR: '010.1.0.0/24' }),
    spec({ podCIDR: '10.1.0.1/24' }),
    spec({ podCIDR: '' }),
    spec({ externalID: 'x' }),
    spec({ unschedulable: true }),
    spec({ configSource: { configMap: { name: 'c' } } }),
    status({ config: { assigned: {} } }),
    status({ capacity: { cpu: '-1' } }),
    status({ capacity: null, allocatable: { cpu: '-1' } }),
    status({ capacity: { pods: '1.5' }, allocatable: {} }),
    status({ capacity: { 'e.com/x': '1500m' } }),
    status({ capacity: { 'a b': '1' } }),
    status({ capacity: { 'hugepages-2Mi': '1.5' } }),
    status({ nodeInfo: { swap: { capacity: 0 } } }),
    status({ nodeInfo: { swap: { capacity: -1 } } }),
    status({ nodeInfo: { swap: { capacity: 1 } } }),
    status({ phase: 'Sometimes' }),
    status({ conditions: [{ type: '', status: 'Sometimes' }] }),
    status({
      addresses: [
        { type: 'Hostname', address: 'h' },
        { type: 'Hostname', address: 'h' },
      ],
    }),
    features('A', 'B/c', 'C/D'),
    features('a'),
    features('A', 'A'),
    features('B', 'A'),
    features('A', 'A/', 'A/1'),
    features('A'.repeat(254)),
    noted('taints', '['),
    noted('taints', '{}'),
    noted('taints', '[{"key":"a b","Effect":"NoSchedule"}]'),
    noted('taints', '[{"Key":"a","effect":"NoSchedule"},{"Key":"a","effect":"NoSchedule"}]'),
    noted('taints', ''),
    noted('preferAvoidPods', '['),
    noted('preferAvoidPods', '{}'),
    avoided({}),
    avoided({ podSignature: { podController: { ...owner, controller: false } } }),
    avoided({ podSignature: { podController: { ...owner, controller: true } } }),
    { metadata: { name: 'A' } },
    { metadata: { finalizers: ['f'] } },
  ],
  statuses: [
    status({ capacity: { cpu: '-1' } }),
    status({ allocatable: { 'e.com/x': '0.5' } }),
    status({ addresses: [{ type: 'Hostname', address: 'h' }] }),
    status({
      addresses: [
        { type: 'Hostname', address: 'h' },
        { type: 'Hostname', address: 'h' },
      ],
    }),
    status({ nodeInfo: { swap: { capacity: -1 } } }),
    status({ nodeInfo: { swap: null } }),
    features('B', 'A'),
    features('A'),
    status({ config: { active: { configMap: {} } } }),
    status({ features: { supplementalGroupsPolicy: true }, runtimeHandlers: [{ name: 'r' }] }),
    { ...taints(taint), ...status({ phase: 'Running' }) },
    { metadata: { labels: { from: 'status' }, annotations: { a: 'b' } } },
    noted('taints', '['),
  ],
  updates: [
    spec({ podCIDR: '10.2.0.0/24' }),
    spec({ podCIDR: null, podCIDRs: null }),
    spec({ podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }),
    spec({ providerID: 'e://b' }),
    spec({ providerID: null }),
    spec({ externalID: 'x' }),
    spec({ configSource: {} }),
    taints(taint, taint),
    taints({ ...taint, value: 'c' }),
    taints(),
    noted('preferAvoidPods', '['),
    avoided({}),
    spec({ unschedulable: true }),
    status({ phase: 'Terminated' }),
  ],
};
