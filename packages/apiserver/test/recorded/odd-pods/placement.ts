import { type Fields, long, withSpec } from './fields.ts';

const tolerating = (...tolerations: Fields[]): Fields => withSpec({ tolerations });
const nodes = (...nodeSelectorTerms: Fields[]): Fields =>
  withSpec({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
const expressions = (...matchExpressions: Fields[]): Fields => nodes({ matchExpressions });
const byFields = (...matchFields: Fields[]): Fields => nodes({ matchFields });
const rather = (...preferred: Fields[]): Fields =>
  withSpec({
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
  });
const selector: Fields = { matchLabels: { a: 'b' } };
const beside = (term: Fields): Fields =>
  withSpec({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: selector, ...term },
        ],
      },
    },
  });
const apart = (weight: number, podAffinityTerm: Fields): Fields =>
  withSpec({
    affinity: {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
    },
  });
const spread: Fields = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const spreading = (...constraints: Fields[]): Fields =>
  withSpec({ topologySpreadConstraints: constraints.map((fields) => ({ ...spread, ...fields })) });

export const ofPlacement: Readonly<Record<string, readonly Fields[]>> = {
  tolerations: [
    tolerating({ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }),
    tolerating({ key: 'a', value: 'b', effect: 'PreferNoSchedule' }),
    tolerating({ operator: 'Exists' }),
    tolerating({ key: 'a', operator: 'Like' }),
    tolerating({ key: 'a', operator: 'Lt', value: '3' }),
    tolerating({ key: 'a', operator: 'Gt', value: 'x' }),
    tolerating({ key: 'a', operator: 'Exists', value: 'b' }),
    tolerating({ operator: 'Equal', value: 'b' }),
    tolerating({}),
    tolerating({ key: 'a', value: 'b c' }),
    tolerating({ key: 'a', value: `${long(64)} ` }),
    tolerating({ key: 'a', operator: 'Exists', effect: 'Never' }),
    tolerating({ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }),
    tolerating({ key: 'a', operator: 'Exists', tolerationSeconds: 3 }),
    tolerating({ key: 'a b', operator: 'Exists' }),
    withSpec({ nodeSelector: { a: 'b' } }),
    withSpec({ nodeSelector: { a: 'b c' } }),
    withSpec({ nodeSelector: { 'a b': 'c' } }),
    withSpec({ schedulingGates: [{ name: 'a' }, { name: 'e.com/b' }] }),
    withSpec({ schedulingGates: [{ name: 'a' }, { name: 'a' }] }),
    withSpec({ schedulingGates: [{ name: 'a b' }] }),
    withSpec({ schedulingGates: [{ name: '' }] }),
    withSpec({ schedulingGates: [{ name: 'a' }], nodeName: 'n' }),
    withSpec({ readinessGates: [{ conditionType: 'e.com/a' }] }),
    withSpec({ readinessGates: [{ conditionType: 'a b' }] }),
    withSpec({ readinessGates: [{ conditionType: '' }] }),
    withSpec({ schedulerName: '' }),
    withSpec({ nodeName: 'A b' }),
    withSpec({ priorityClassName: 'A b' }),
    withSpec({ priorityClassName: 'no-such-class' }),
    withSpec({ priorityClassName: 'system-node-critical' }),
    withSpec({ priority: 3 }),
    withSpec({ priority: 0 }),
    withSpec({ preemptionPolicy: 'Never' }),
    withSpec({ preemptionPolicy: 'PreemptLowerPriority' }),
    withSpec({ preemptionPolicy: 'Other' }),
    withSpec({ preemptionPolicy: '' }),
    withSpec({ runtimeClassName: 'A b' }),
    withSpec({ runtimeClassName: '' }),
    withSpec({ runtimeClassName: 'no-such-class' }),
    withSpec({ schedulingGroup: { podGroupName: 'A b' } }),
  ],
  'affinity to nodes': [
    expressions({ key: 'a', operator: 'In', values: ['b'] }),
    expressions({ key: 'a', operator: 'Exists' }),
    expressions({ key: 'a', operator: 'Gt', values: ['3'] }),
    expressions({ key: 'a', operator: 'Like' }),
    expressions({ key: 'a', operator: '' }),
    expressions({ key: 'a', operator: 'In' }),
    expressions({ key: 'a', operator: 'NotIn', values: [] }),
    expressions({ key: 'a', operator: 'Exists', values: ['b'] }),
    expressions({ key: 'a', operator: 'DoesNotExist', values: ['b'] }),
    expressions({ key: 'a', operator: 'Gt', values: ['b', 'c'] }),
    expressions({ key: 'a', operator: 'Lt' }),
    expressions({ key: 'a b', operator: 'Exists' }),
    expressions({ key: '', operator: 'Exists' }),
    expressions({ key: 'a', operator: 'In', values: ['b', 'c d', long(64)] }),
    nodes(),
    nodes({}),
    byFields({ key: 'metadata.name', operator: 'In', values: ['n'] }),
    byFields({ key: 'metadata.name', operator: 'In', values: ['n', 'm'] }),
    byFields({ key: 'metadata.name', operator: 'NotIn', values: [] }),
    byFields({ key: 'metadata.name', operator: 'Exists' }),
    byFields({ key: 'metadata.name', operator: 'In', values: ['A b'] }),
    byFields({ key: 'metadata.uid', operator: 'In', values: ['n'] }),
    rather({ weight: 1, preference: {} }),
    rather({ weight: 100, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
    rather({ weight: 0, preference: {} }),
    rather({ weight: 101, preference: {} }),
    rather({ weight: 1, preference: { matchExpressions: [{ key: 'a b', operator: 'In' }] } }),
    rather({ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } }),
    rather({ weight: 1, preference: { matchFields: [{ key: 'a', operator: 'In', values: ['b'] }] } }),
    withSpec({ affinity: {} }),
    withSpec({ affinity: { nodeAffinity: {}, podAffinity: {}, podAntiAffinity: {} } }),
  ],
  'affinity to pods': [
    beside({}),
    beside({ topologyKey: '' }),
    beside({ topologyKey: 'a b' }),
    beside({ labelSelector: { matchLabels: { 'a b': 'c' } } }),
    beside({ labelSelector: { matchLabels: { a: 'b c' } } }),
    beside({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } }),
    beside({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['b'] }] } }),
    beside({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    beside({ labelSelector: {} }),
    beside({ namespaceSelector: { matchLabels: { 'a b': 'c' } } }),
    beside({ namespaceSelector: {} }),
    beside({ namespaces: ['n'] }),
    beside({ namespaces: ['A b'] }),
    beside({ matchLabelKeys: ['app'] }),
    beside({ mismatchLabelKeys: ['app', 'none'] }),
    beside({ matchLabelKeys: ['a b'] }),
    beside({ matchLabelKeys: ['app'], labelSelector: undefined }),
    beside({ mismatchLabelKeys: ['app'], labelSelector: undefined }),
    beside({ matchLabelKeys: ['app'], mismatchLabelKeys: ['app'] }),
    beside({ matchLabelKeys: ['a'] }),
    beside({ matchLabelKeys: ['app'], labelSelector: { matchLabels: { app: 'x' } } }),
    beside({
      matchLabelKeys: ['app'],
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    }),
    apart(1, { topologyKey: 'zone' }),
    apart(0, { topologyKey: 'zone' }),
    apart(101, { topologyKey: 'a b' }),
    apart(1, { topologyKey: 'zone', labelSelector: selector, matchLabelKeys: ['app'] }),
    apart(1, { topologyKey: 'zone', namespaces: [''] }),
  ],
  'topology spread': [
    spreading({}),
    spreading({ maxSkew: 0 }),
    spreading({ maxSkew: -1 }),
    spreading({ topologyKey: '' }),
    spreading({ topologyKey: 'a b' }),
    spreading({ whenUnsatisfiable: 'Sometimes' }),
    spreading({ whenUnsatisfiable: '' }),
    spreading({ whenUnsatisfiable: 'ScheduleAnyway' }),
    spreading({}, {}),
    spreading({}, { whenUnsatisfiable: 'ScheduleAnyway' }),
    spreading({ minDomains: 2 }),
    spreading({ minDomains: 0 }),
    spreading({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
    spreading({ nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' }),
    spreading({ nodeAffinityPolicy: 'Other' }),
    spreading({ nodeTaintsPolicy: '' }),
    spreading({ labelSelector: { matchLabels: { 'a b': 'c' } } }),
    spreading({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } }),
    spreading({ labelSelector: selector, matchLabelKeys: ['app'] }),
    spreading({ labelSelector: selector, matchLabelKeys: ['none'] }),
    spreading({ labelSelector: selector, matchLabelKeys: ['a'] }),
    spreading({ labelSelector: { matchLabels: { app: 'x' } }, matchLabelKeys: ['app'] }),
    spreading({
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      matchLabelKeys: ['app'],
    }),
    spreading({ matchLabelKeys: ['app'] }),
    spreading({ labelSelector: selector, matchLabelKeys: ['a b'] }),
  ],
};
