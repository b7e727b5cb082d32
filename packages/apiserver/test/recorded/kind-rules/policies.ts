import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* What scales, keeps and bounds others. */

const spec = (fields: Fields): Fields => ({ spec: fields });
const status = (fields: Fields): Fields => ({ status: fields });

const condition = {
  type: 'T',
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

export const disruptionBudgets: RuleStory = {
  collection: '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets',
  right: spec({ selector: { matchLabels: { app: 'a' } }, minAvailable: 1 }),
  creates: [
    { minAvailable: -1 },
    { minAvailable: '-1%' },
    { minAvailable: '101%' },
    { minAvailable: '100%' },
    { minAvailable: '5' },
    { minAvailable: null },
    { minAvailable: null, maxUnavailable: '101%' },
    { minAvailable: null, maxUnavailable: 'x' },
    { maxUnavailable: 1 },
    { selector: null },
    { selector: { matchLabels: null } },
    { selector: { matchLabels: { app: 'a b' } } },
    { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['a b'] }] } },
    { unhealthyPodEvictionPolicy: '' },
    { unhealthyPodEvictionPolicy: 'Sometimes' },
    { unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
  ].map(spec),
  statuses: [
    ...['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'].map((field) =>
      status({ [field]: -1 }),
    ),
    ...[
      { type: '' },
      { type: 'a b' },
      { status: 'Perhaps' },
      { reason: '' },
      { reason: 'a b' },
      { reason: 'a'.repeat(1025) },
      { message: 'a'.repeat(32_769) },
      { observedGeneration: -1 },
      { lastTransitionTime: null },
      {},
    ].map((fields) => status({ conditions: [{ ...condition, ...fields }] })),
    status({ conditions: [condition, condition] }),
  ],
  updates: [spec({ minAvailable: -1 }), spec({ maxUnavailable: 1 }), spec({ minAvailable: '50%' })],
};

const metricsOf = (type: string, fields: Fields): readonly Fields[] => [
  { type, [`${type.charAt(0).toLowerCase()}${type.slice(1)}`]: fields },
];
const metric = (type: string, fields: Fields): Fields => spec({ metrics: metricsOf(type, fields) });
const utilization = (value: number): Fields => ({ type: 'Utilization', averageUtilization: value });
const average = (value: string): Fields => ({ type: 'AverageValue', averageValue: value });
const object = { apiVersion: 'v1', kind: 'Service', name: 's' };
const rules = (fields: Fields): Fields => spec({ behavior: { scaleDown: fields } });
const policy = (fields: Fields): Fields =>
  rules({ policies: [{ type: 'Pods', value: 1, periodSeconds: 15, ...fields }] });

/** Where autoscaling/v1 keeps what it has no fields for. */
const annotation = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

export const autoscalers: RuleStory = {
  collection: '/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers',
  right: spec({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 }),
  creates: [
    ...[
      { minReplicas: 0 },
      { minReplicas: -1 },
      { minReplicas: 4 },
      { maxReplicas: 0 },
      { maxReplicas: -1 },
      { scaleTargetRef: { kind: '' } },
      { scaleTargetRef: { kind: 'a/b' } },
      { scaleTargetRef: { name: '' } },
      { scaleTargetRef: { name: '..' } },
      { scaleTargetRef: { apiVersion: 'v1' } },
      { scaleTargetRef: { apiVersion: '' } },
      { scaleTargetRef: { apiVersion: 'a/b/c' } },
      { scaleTargetRef: { apiVersion: 'v1', kind: 'ReplicationController' } },
      { metrics: [{ type: '' }] },
      { metrics: [{ type: 'Sometimes' }] },
      { metrics: [{ type: 'Resource' }] },
      { metrics: [{ type: 'Pods', resource: { name: 'cpu', target: utilization(1) } }] },
      {
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: utilization(1) },
            pods: { metric: { name: 'm' }, target: average('1') },
          },
        ],
      },
    ].map(spec),
    metric('Resource', { name: '', target: utilization(1) }),
    metric('Resource', { name: 'a b', target: utilization(1) }),
    metric('Resource', { name: 'cpu', target: utilization(0) }),
    metric('Resource', { name: 'cpu', target: average('0') }),
    metric('Resource', { name: 'cpu', target: average('-1') }),
    metric('Resource', { name: 'cpu', target: { type: 'Utilization' } }),
    metric('Resource', { name: 'cpu', target: { type: 'Sometimes', averageUtilization: 1 } }),
    metric('Resource', { name: 'cpu', target: { type: '', averageUtilization: 1 } }),
    metric('Resource', { name: 'cpu', target: { type: 'Value', value: '1' } }),
    metric('Resource', { name: 'cpu', target: { ...utilization(1), averageValue: '1' } }),
    metric('ContainerResource', { name: 'cpu', container: 'c', target: utilization(1) }),
    metric('ContainerResource', { name: '', container: '', target: utilization(1) }),
    metric('ContainerResource', { name: 'pods', container: 'C', target: utilization(1) }),
    metric('ContainerResource', { name: 'e.com/x', container: 'c', target: utilization(1) }),
    metric('ContainerResource', {
      name: 'requests.e.com/x',
      container: 'c',
      target: { type: 'Utilization' },
    }),
    metric('Pods', { metric: { name: 'm' }, target: average('1') }),
    metric('Pods', { metric: { name: '' }, target: average('1') }),
    metric('Pods', { metric: { name: 'a/b' }, target: { type: 'Value', value: '1' } }),
    metric('Object', {
      describedObject: object,
      metric: { name: 'm' },
      target: { type: 'Value', value: '1' },
    }),
    metric('Object', {
      describedObject: { ...object, kind: '', name: '' },
      metric: { name: 'm' },
      target: average('1'),
    }),
    metric('Object', {
      describedObject: { ...object, apiVersion: 'a/b/c' },
      metric: { name: 'm' },
      target: average('1'),
    }),
    metric('Object', { describedObject: object, metric: { name: 'm' }, target: { type: 'Value' } }),
    metric('External', { metric: { name: 'm' }, target: { type: 'Value', value: '1' } }),
    metric('External', { metric: { name: 'm' }, target: { type: 'Value', value: '1', averageValue: '1' } }),
    metric('External', { metric: { name: 'm' }, target: { type: 'Value' } }),
    rules({ stabilizationWindowSeconds: -1 }),
    rules({ stabilizationWindowSeconds: 3601 }),
    rules({ stabilizationWindowSeconds: 3600 }),
    rules({ selectPolicy: 'Sometimes' }),
    rules({ selectPolicy: 'Disabled' }),
    rules({ tolerance: '-1' }),
    rules({ tolerance: '0.5' }),
    policy({}),
    policy({ type: 'Sometimes' }),
    policy({ value: 0 }),
    policy({ periodSeconds: 0 }),
    policy({ periodSeconds: 1801 }),
    policy({ periodSeconds: 1800, type: 'Percent' }),
    rules({ policies: [] }),
    rules({ policies: null }),
    spec({ behavior: { scaleUp: { policies: [] }, scaleDown: {} } }),
    spec({ behavior: {}, metrics: [] }),
    { metadata: { annotations: { [annotation.behavior]: '{}', [annotation.metrics]: '[]', a: 'b' } } },
    { metadata: { name: 'A' } },
  ],
  statuses: [
    status({ currentReplicas: -1 }),
    status({ desiredReplicas: -1 }),
    status({ currentReplicas: 9, desiredReplicas: 7 }),
  ],
  updates: [
    spec({ minReplicas: 0 }),
    spec({ maxReplicas: 0 }),
    spec({ scaleTargetRef: { apiVersion: 'v1' } }),
    spec({ scaleTargetRef: { name: 'e' } }),
    policy({ value: 0 }),
    rules({ policies: [] }),
  ],
};

const noted = (annotations: Readonly<Record<string, unknown>>): Fields => ({
  metadata: {
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  },
});
const notedMetric = (type: string, fields: Fields): Fields =>
  noted({ [annotation.metrics]: metricsOf(type, fields) });
const notedCurrent = (type: string, fields: Fields): Fields =>
  noted({ [annotation.currentMetrics]: metricsOf(type, fields) });
const selector = { matchLabels: { a: 'b' } };

export const oldAutoscalers: RuleStory = {
  ...autoscalers,
  collection: '/apis/autoscaling/v1/namespaces/$NS/horizontalpodautoscalers',
  creates: [
    ...[
      { minReplicas: 0 },
      { maxReplicas: 0 },
      { maxReplicas: -1 },
      { scaleTargetRef: null },
      { scaleTargetRef: { apiVersion: 'v1' } },
      { scaleTargetRef: { kind: 'a/b' } },
      { targetCPUUtilizationPercentage: 0 },
      { targetCPUUtilizationPercentage: 70 },
    ].map(spec),
    noted({ [annotation.metrics]: [] }),
    noted({ [annotation.metrics]: null }),
    noted({ [annotation.metrics]: [null] }),
    noted({ [annotation.metrics]: { type: 'Resource' } }),
    noted({ [annotation.metrics]: [{ type: 1 }] }),
    { metadata: { annotations: { [annotation.metrics]: '[', a: 'b' } } },
    noted({ [annotation.metrics]: [{ type: 'Pods' }, { type: 'Sometimes', unknown: 1 }] }),
    notedMetric('Resource', { name: 'cpu', targetAverageUtilization: 0 }),
    notedMetric('Resource', { name: 'cpu', targetAverageUtilization: 50 }),
    notedMetric('Resource', { name: 'memory', targetAverageValue: '1024Mi' }),
    notedMetric('Resource', { name: 'memory', targetAverageValue: '1', targetAverageUtilization: 1 }),
    notedMetric('Resource', { name: 'memory', targetAverageValue: 'x' }),
    notedMetric('Resource', { name: '' }),
    notedMetric('Resource', { name: 'cpu', target: utilization(1) }),
    notedMetric('ContainerResource', { name: 'cpu', container: 'c', targetAverageUtilization: 5 }),
    notedMetric('ContainerResource', { name: 'cpu', container: 'C', targetAverageValue: '0' }),
    notedMetric('Pods', { metricName: 'm', targetAverageValue: '5', selector }),
    notedMetric('Pods', { metricName: '' }),
    notedMetric('Object', { target: object, metricName: 'm', targetValue: '3', selector }),
    notedMetric('Object', { target: object, metricName: 'm', averageValue: '3' }),
    notedMetric('Object', { target: object, metricName: 'm', averageValue: '3', targetValue: '2' }),
    notedMetric('Object', { target: { kind: '' }, metricName: 'a/b' }),
    notedMetric('External', { metricName: 'm', targetValue: '3', metricSelector: selector }),
    notedMetric('External', { metricName: 'm', targetAverageValue: '3' }),
    notedMetric('External', { metricName: 'm', targetAverageValue: '3', targetValue: '2' }),
    notedMetric('External', { metricName: '<m>' }),
    noted({ [annotation.behavior]: {} }),
    noted({ [annotation.behavior]: null }),
    noted({ [annotation.behavior]: { scaleUp: null } }),
    noted({ [annotation.behavior]: { ScaleUp: { SelectPolicy: 'Max' } } }),
    noted({ [annotation.behavior]: { scaleDown: { selectPolicy: 'Sometimes', policies: [] } } }),
    noted({ [annotation.behavior]: { scaleDown: { selectPolicy: 1 } } }),
    noted({
      [annotation.behavior]: {
        ScaleDown: { Policies: [{ Type: 'Pods', Value: 1, PeriodSeconds: 15 }], Tolerance: '0.50' },
      },
    }),
    noted({
      [annotation.behavior]: { scaleUp: { policies: [{ type: 'Percent', value: 0, periodSeconds: 1801 }] } },
    }),
    notedCurrent('Resource', { name: 'cpu', currentAverageUtilization: 5 }),
    noted({ [annotation.conditions]: [{ type: 'T', status: 'True' }] }),
    noted({ 'autoscaling.alpha.kubernetes.io/scale-up-tolerance': 1 }),
  ],
  stored: noted({
    [annotation.metrics]: [{ type: 'Pods', pods: { metricName: 'm', targetAverageValue: '5' } }],
    [annotation.behavior]: {
      ScaleUp: { Policies: [{ Type: 'Pods', Value: 1, PeriodSeconds: 15 }] },
    },
    [annotation.conditions]: [{ type: 'T', status: 'True' }],
    [annotation.currentMetrics]: [],
  }),
  statuses: [
    status({ currentReplicas: -1 }),
    status({ desiredReplicas: -1, currentReplicas: 9 }),
    status({ currentCPUUtilizationPercentage: 40, observedGeneration: 1, currentReplicas: 2 }),
    status({ currentCPUUtilizationPercentage: 50 }),
    notedCurrent('Resource', { name: 'cpu', currentAverageUtilization: 5, currentAverageValue: '1' }),
    notedCurrent('ContainerResource', { name: 'cpu', container: 'c', currentAverageUtilization: 5 }),
    notedCurrent('Pods', { metricName: 'm', currentAverageValue: '5', selector }),
    notedCurrent('Object', { target: object, metricName: 'm', currentValue: '5', averageValue: '1' }),
    notedCurrent('External', { metricName: 'm', currentValue: '5', metricSelector: selector }),
    notedCurrent('External', { metricName: 'm', currentAverageValue: '5' }),
    noted({ [annotation.conditions]: [{ type: 'T', status: 'Perhaps', reason: 'R', message: 'm' }] }),
    noted({ [annotation.conditions]: [{ type: 'T', lastTransitionTime: 'now' }] }),
    noted({ [annotation.metrics]: [], [annotation.behavior]: {}, a: 'b' }),
    { metadata: { annotations: null } },
  ],
  updates: [
    spec({ minReplicas: 0 }),
    spec({ maxReplicas: 0 }),
    spec({ scaleTargetRef: { apiVersion: 'v1' } }),
    spec({ targetCPUUtilizationPercentage: 30 }),
    notedMetric('Pods', { metricName: 'n', targetAverageValue: '6' }),
    noted({ [annotation.behavior]: { ScaleUp: { Policies: [] } } }),
    noted({ [annotation.conditions]: [{ type: 'U', status: 'True' }] }),
    spec({ targetCPUUtilizationPercentage: null }),
    { metadata: { annotations: null } },
    spec({ targetCPUUtilizationPercentage: null }),
  ],
};

const limit = (...limits: readonly Fields[]): Fields => spec({ limits });
const container = (fields: Fields): Fields => limit({ type: 'Container', ...fields });
const cpu = (value: string): Fields => ({ cpu: value });

export const limitRanges: RuleStory = {
  collection: '/api/v1/namespaces/$NS/limitranges',
  right: spec({ limits: [] }),
  creates: [
    limit({ type: '' }),
    limit({ type: 'a b' }),
    limit({ type: 'Sometimes' }),
    limit({ type: 'e.com/Kind', max: { storage: '1' } }),
    limit({ type: 'Pod' }, { type: 'Pod' }),
    limit({ type: 'Pod', default: cpu('1'), defaultRequest: cpu('1') }),
    limit({ type: 'Pod', max: cpu('1'), min: cpu('2') }),
    limit({ type: 'Pod', max: { pods: '1' } }),
    limit({ type: 'PersistentVolumeClaim' }),
    limit({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }),
    limit({ type: 'PersistentVolumeClaim', max: { storage: '1Gi', sometimes: '1' } }),
    container({ max: { storage: '1' } }),
    container({ max: { 'a b': '1' } }),
    container({ max: { 'e.com/x': '1' } }),
    container({ max: { 'hugepages-2Mi': '1' } }),
    container({ max: cpu('1'), min: cpu('2') }),
    container({ min: cpu('2'), defaultRequest: cpu('1'), default: cpu('3') }),
    container({ max: cpu('1'), defaultRequest: cpu('2') }),
    container({ default: cpu('1'), defaultRequest: cpu('2') }),
    container({ default: cpu('1'), min: cpu('2') }),
    container({ default: cpu('3'), max: cpu('2') }),
    container({ maxLimitRequestRatio: cpu('500m') }),
    container({ maxLimitRequestRatio: cpu('3'), min: cpu('1'), max: cpu('2') }),
    container({ maxLimitRequestRatio: cpu('2'), min: cpu('1'), max: cpu('2') }),
    container({ default: { 'e.com/x': '1' }, defaultRequest: { 'e.com/x': '2' } }),
    container({ default: { 'e.com/x': '2' }, defaultRequest: { 'e.com/x': '2' } }),
    { metadata: { name: 'A' } },
  ],
  updates: [limit({ type: 'Sometimes' }), limit({ type: 'Pod', max: { pods: '1' } })],
};

const scoped = (...matchExpressions: readonly Fields[]): Fields =>
  spec({ scopeSelector: { matchExpressions } });

export const resourceQuotas: RuleStory = {
  collection: '/api/v1/namespaces/$NS/resourcequotas',
  right: { spec: {} },
  creates: [
    ...[
      { pods: '1' },
      { pods: '-1' },
      { pods: '1.5' },
      { cpu: '1.5' },
      { 'a b': '1' },
      { sometimes: '1' },
      { storage: '1' },
      { 'requests.storage': '1' },
      { 'hugepages-2Mi': '1' },
      { 'requests.hugepages-2Mi': '1' },
      { 'e.com/x': '1.5' },
      { 'requests.e.com/x': '1.5' },
      { 'count/pods': '1.5' },
      { 'gold.storageclass.storage.k8s.io/requests.storage': '1' },
    ].map((hard) => spec({ hard })),
    ...[
      { scopes: ['Sometimes'] },
      { scopes: ['Terminating'] },
      { scopes: ['Terminating', 'NotTerminating'] },
      { scopes: ['BestEffort', 'NotBestEffort'] },
      { scopes: ['BestEffort'], hard: { cpu: '1' } },
      { scopes: ['BestEffort'], hard: { pods: '1', 'e.com/x': '1' } },
      { scopes: ['Terminating'], hard: { services: '1' } },
      { scopes: ['VolumeAttributesClass'], hard: { pods: '1' } },
      { scopes: ['VolumeAttributesClass'], hard: { persistentvolumeclaims: '1', 'requests.storage': '1' } },
    ].map(spec),
    scoped({ scopeName: 'Sometimes', operator: 'Exists' }),
    scoped({ scopeName: 'PriorityClass', operator: 'Exists' }),
    scoped({ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }),
    scoped({ scopeName: 'PriorityClass', operator: 'In' }),
    scoped({ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }),
    scoped({ scopeName: 'PriorityClass', operator: 'Like' }),
    scoped({ scopeName: 'Terminating', operator: 'In', values: ['a'] }),
    scoped(
      { scopeName: 'Terminating', operator: 'Exists' },
      { scopeName: 'NotTerminating', operator: 'Exists' },
    ),
    spec({
      hard: { services: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'Exists' }] },
    }),
    { metadata: { name: 'A' } },
  ],
  statuses: [
    status({ hard: { pods: '-1' } }),
    status({ hard: { sometimes: '1' } }),
    status({ used: { pods: '1.5' } }),
    status({ hard: { pods: '2' }, used: { pods: '1' } }),
  ],
  updates: [
    spec({ hard: { pods: '-1' } }),
    spec({ hard: { pods: '1' } }),
    spec({ scopes: ['Terminating'] }),
    scoped({ scopeName: 'Terminating', operator: 'Exists' }),
  ],
};

export const runtimeClasses: RuleStory = {
  collection: '/apis/node.k8s.io/v1/runtimeclasses',
  name: '$NS',
  right: { handler: 'runc' },
  creates: [
    { handler: '' },
    { handler: 'A b' },
    { handler: 'a.b' },
    { overhead: { podFixed: { cpu: '1' } } },
    { overhead: { podFixed: { cpu: '-1' } } },
    { overhead: { podFixed: { sometimes: '1' } } },
    { scheduling: { nodeSelector: { 'a b': 'c d' } } },
    { scheduling: { tolerations: [{ key: 'a', operator: 'Like' }] } },
    { scheduling: { tolerations: [{ key: 'a' }, { key: 'a', tolerationSeconds: 3, effect: '' }] } },
    { scheduling: { tolerations: [{ key: 'a' }, { key: 'a', effect: 'NoExecute' }] } },
  ],
  updates: [
    { handler: 'other' },
    { overhead: { podFixed: { cpu: '-1' } } },
    { overhead: { podFixed: { cpu: '1' } } },
  ],
};

export const priorityClasses: RuleStory = {
  collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
  name: '$NS',
  right: { value: 1 },
  creates: [
    { value: 1_000_000_001 },
    { value: 1_000_000_000 },
    { value: -5 },
    { preemptionPolicy: 'Sometimes' },
    { preemptionPolicy: '' },
    { preemptionPolicy: 'Never' },
    { metadata: { name: 'system-x' } },
    { metadata: { name: 'system-node-critical' } },
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000, globalDefault: true },
    { metadata: { name: 'A' } },
  ],
  updates: [
    { value: 2 },
    { preemptionPolicy: 'Never' },
    { preemptionPolicy: 'Sometimes' },
    { description: 'd' },
  ],
};

export const volumeAttributesClasses: RuleStory = {
  collection: '/apis/storage.k8s.io/v1/volumeattributesclasses',
  name: '$NS',
  right: { driverName: 'd.example.com', parameters: { a: 'b' } },
  creates: [
    { driverName: '' },
    { driverName: 'A b' },
    { driverName: 'D' },
    { parameters: null },
    { parameters: { '': 'x' } },
    { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, ''])) },
    { parameters: { a: 'x'.repeat(256 * 1024) } },
    { metadata: { name: 'A' } },
  ],
  updates: [
    { driverName: 'e.example.com' },
    { parameters: { a: 'c' } },
    { parameters: null },
    { metadata: { labels: { x: 'y' } } },
  ],
};

export const storageCapacities: RuleStory = {
  collection: '/apis/storage.k8s.io/v1/namespaces/$NS/csistoragecapacities',
  right: { storageClassName: 'c' },
  creates: [
    { storageClassName: '' },
    { storageClassName: 'A' },
    { capacity: '-1' },
    { capacity: '1Gi', maximumVolumeSize: '-1' },
    { nodeTopology: { matchLabels: { a: 'b c' } } },
    { nodeTopology: {} },
    { metadata: { name: 'A' } },
  ],
  updates: [
    { storageClassName: 'd' },
    { nodeTopology: { matchLabels: { a: 'b' } } },
    { capacity: '-1' },
    { capacity: '1Gi' },
  ],
};
