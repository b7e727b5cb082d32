import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* apps/v1 and the core group: what makes pods that run on. */

const selector = { matchLabels: { app: 'a' } };
const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i:1' }] },
};
const right = { spec: { selector, template } };
const spec = (fields: Fields): Fields => ({ spec: fields });
const status = (fields: Fields): Fields => ({ status: fields });

/** Of a selector and of the template that it takes. */
const ofSelectors: readonly Fields[] = [
  { selector: null },
  { selector: { matchLabels: null } },
  { selector: { matchLabels: { app: 'a b' } } },
  { selector: { matchLabels: { 'a b': 'a' } } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b c'] }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['a'] }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['a'] }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } },
  { template: { metadata: { labels: { app: 'b' } } } },
  { template: { metadata: { labels: null } } },
  { template: { metadata: { labels: { x: 'a b' } } } },
  { template: { metadata: { annotations: { 'a b': '' } } } },
  { template: { spec: { restartPolicy: 'Never' } } },
  { template: { spec: { activeDeadlineSeconds: 5 } } },
].map(spec);

/** Of the counts of a status, each below zero, then above the one that bounds it. */
const ofCounts = (counts: readonly string[], others: readonly string[]): readonly Fields[] => [
  ...[...counts, ...others].map((field) => status({ replicas: 3, readyReplicas: 2, [field]: -1 })),
  ...counts.map((field) => status({ replicas: 3, readyReplicas: 3, availableReplicas: 0, [field]: 4 })),
  status({ replicas: 3, readyReplicas: 1, availableReplicas: 2 }),
  status({ replicas: 3, readyReplicas: 2, availableReplicas: 2 }),
  status({ replicas: -1, readyReplicas: -1, availableReplicas: -1 }),
];

const ofCollisions: readonly Fields[] = [
  status({ collisionCount: 3 }),
  status({ collisionCount: 2 }),
  status({ collisionCount: null }),
  status({ collisionCount: 4 }),
];

const limits: readonly Fields[] = [
  { minReadySeconds: -1 },
  { minReadySeconds: 5 },
  { revisionHistoryLimit: -1 },
  { revisionHistoryLimit: 0 },
].map(spec);

export const deployments: RuleStory = {
  collection: '/apis/apps/v1/namespaces/$NS/deployments',
  right,
  creates: [
    ...ofSelectors,
    ...limits,
    ...[
      { replicas: -1 },
      { replicas: 0 },
      { progressDeadlineSeconds: -1 },
      { progressDeadlineSeconds: 0 },
      { progressDeadlineSeconds: 5, minReadySeconds: 5 },
      { progressDeadlineSeconds: 6, minReadySeconds: 5 },
      { strategy: { type: '' } },
      { strategy: { type: 'Sideways' } },
      { strategy: { type: 'Recreate' } },
      { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      { strategy: { rollingUpdate: { maxSurge: -1 } } },
      { strategy: { rollingUpdate: { maxSurge: '200%' } } },
      { strategy: { rollingUpdate: { maxSurge: '5' } } },
      { strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: 0 } } },
      { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: '0%' } } },
      { strategy: { rollingUpdate: { maxUnavailable: -1 } } },
      { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
      { strategy: { rollingUpdate: { maxUnavailable: '100%' } } },
      { strategy: { rollingUpdate: { maxUnavailable: 'half' } } },
      { strategy: { rollingUpdate: { maxUnavailable: '5' } } },
    ].map(spec),
    { metadata: { name: 'a.b' } },
    { metadata: { name: 'A' } },
  ],
  statuses: [
    ...ofCounts(
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ['observedGeneration', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
    ),
    ...ofCollisions,
  ],
  updates: [
    spec({ selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } }),
    spec({ selector: null }),
    spec({ replicas: -1 }),
    spec({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    spec({ strategy: { type: 'Recreate' } }),
    spec({ strategy: { type: 'Recreate', rollingUpdate: null } }),
    spec({ template: { spec: { activeDeadlineSeconds: 3 } } }),
    { metadata: { annotations: { x: 'y' } }, status: { replicas: 9 } },
    { metadata: { labels: { x: 'y' } } },
  ],
};

export const replicaSets: RuleStory = {
  collection: '/apis/apps/v1/namespaces/$NS/replicasets',
  right,
  creates: [
    ...ofSelectors,
    ...[{ replicas: -1 }, { replicas: 0 }, { minReadySeconds: -1 }, { minReadySeconds: 5 }].map(spec),
    spec({ template: null }),
    { metadata: { name: 'A' } },
  ],
  statuses: ofCounts(
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ['observedGeneration', 'terminatingReplicas'],
  ),
  updates: [
    spec({ selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } }),
    spec({ minReadySeconds: -1 }),
    spec({ replicas: 3 }),
    spec({ template: { spec: { activeDeadlineSeconds: 3 } } }),
    { metadata: { annotations: { x: 'y' } } },
  ],
};

export const daemonSets: RuleStory = {
  collection: '/apis/apps/v1/namespaces/$NS/daemonsets',
  right,
  creates: [
    ...ofSelectors,
    ...limits,
    ...[
      { updateStrategy: { type: '' } },
      { updateStrategy: { type: 'Sideways' } },
      { updateStrategy: { type: 'OnDelete' } },
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: -1 } } },
      { updateStrategy: { rollingUpdate: { maxSurge: -1 } } },
      { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
      { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      { updateStrategy: { rollingUpdate: { maxSurge: '101%', maxUnavailable: 0 } } },
      { updateStrategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: '0%' } } },
      { updateStrategy: { rollingUpdate: { maxUnavailable: '5' } } },
      { updateStrategy: { rollingUpdate: { maxUnavailable: '101%' } } },
      { updateStrategy: { rollingUpdate: { maxUnavailable: 'half' } } },
    ].map(spec),
    { metadata: { name: 'A' } },
    { metadata: { annotations: { 'deprecated.daemonset.template.generation': '7' } } },
    { metadata: { annotations: { 'deprecated.daemonset.template.generation': '-7' } } },
  ],
  statuses: [
    ...[
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ].map((field) => status({ [field]: -1 })),
    status({ numberReady: 3, desiredNumberScheduled: 1 }),
    ...ofCollisions,
  ],
  updates: [
    spec({ selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } }),
    spec({ selector: null }),
    spec({ minReadySeconds: -1 }),
    spec({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    spec({ template: { spec: { activeDeadlineSeconds: 3 } } }),
    spec({ template: { metadata: { annotations: { x: 'y' } } } }),
    { metadata: { annotations: { 'deprecated.daemonset.template.generation': '9' } } },
  ],
};

const claim = (fields: Fields): Fields => ({
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...fields },
});

export const statefulSets: RuleStory = {
  collection: '/apis/apps/v1/namespaces/$NS/statefulsets',
  right,
  creates: [
    ...ofSelectors,
    ...limits,
    ...[
      { replicas: -1 },
      { ordinals: { start: -1 } },
      { ordinals: { start: 3 } },
      { podManagementPolicy: '' },
      { podManagementPolicy: 'Sideways' },
      { podManagementPolicy: 'Parallel' },
      { serviceName: 'a.b' },
      { serviceName: 'A' },
      { serviceName: 's' },
      { updateStrategy: { type: '' } },
      { updateStrategy: { type: 'Sideways' } },
      { updateStrategy: { type: 'RollingUpdate' } },
      { updateStrategy: { type: 'OnDelete' } },
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: -1 } } },
      { updateStrategy: { rollingUpdate: { partition: -1 } } },
      { updateStrategy: { rollingUpdate: { maxUnavailable: 'x' } } },
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Sometimes' } },
      { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Sometimes' } },
      { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } },
      { template: { spec: { hostname: 'A b', subdomain: 'A b' } } },
      { volumeClaimTemplates: [claim({})] },
      { volumeClaimTemplates: [claim({ accessModes: ['Sideways'] })] },
      { volumeClaimTemplates: [claim({ accessModes: [] })] },
      { volumeClaimTemplates: [claim({ resources: {} })] },
      { volumeClaimTemplates: [claim({ storageClassName: 'A b' })] },
      {
        volumeClaimTemplates: [claim({})],
        template: { spec: { volumes: [{ name: 'w', hostPath: { path: '' } }] } },
      },
      {
        volumeClaimTemplates: [claim({})],
        template: { spec: { volumes: [{ name: 'v', hostPath: { path: '' } }] } },
      },
    ].map(spec),
    { metadata: { name: 'a.b' } },
    { metadata: { name: 'A' } },
  ],
  statuses: [
    ...ofCounts(
      ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      ['observedGeneration', 'collisionCount'],
    ),
    ...ofCollisions,
  ],
  updates: [
    spec({ selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } }),
    spec({ serviceName: 'A' }),
    spec({ serviceName: 's' }),
    spec({ podManagementPolicy: 'Parallel' }),
    spec({ volumeClaimTemplates: [claim({})] }),
    spec({ ordinals: { start: -1 } }),
    spec({ ordinals: { start: 2 }, replicas: 3, minReadySeconds: 4, revisionHistoryLimit: 5 }),
    spec({ updateStrategy: { type: 'OnDelete' } }),
    spec({ updateStrategy: { type: 'OnDelete', rollingUpdate: null } }),
    spec({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } }),
    spec({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Sometimes' } }),
    spec({ template: { metadata: { annotations: { x: 'y' } } } }),
    spec({ template: { spec: { activeDeadlineSeconds: 3 } } }),
    { metadata: { annotations: { x: 'y' } }, status: { replicas: 9 } },
  ],
};

export const replicationControllers: RuleStory = {
  collection: '/api/v1/namespaces/$NS/replicationcontrollers',
  right: { spec: { template } },
  creates: [
    ...[
      { replicas: -1 },
      { minReadySeconds: -1 },
      { minReadySeconds: 5 },
      { selector: { app: 'b' } },
      { selector: { app: 'a' } },
      { selector: {} },
      { selector: { 'a b': 'c d' } },
      { template: null },
      { template: null, selector: { app: 'a' } },
      { template: { metadata: { labels: null } } },
      { template: { metadata: { labels: { x: 'a b' } } } },
      { template: { spec: { restartPolicy: 'Never' } } },
      { template: { spec: { activeDeadlineSeconds: 5 } } },
    ].map(spec),
    { metadata: { name: 'A' } },
  ],
  statuses: ofCounts(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], ['observedGeneration']),
  updates: [
    spec({ selector: { app: 'b' } }),
    spec({ selector: { app: 'b' }, template: { metadata: { labels: { app: 'b' } } } }),
    spec({ selector: null }),
    spec({ replicas: -1 }),
    spec({ minReadySeconds: -1 }),
    spec({ template: { spec: { activeDeadlineSeconds: 3 } } }),
    { metadata: { annotations: { x: 'y' } } },
  ],
};

export const podTemplates: RuleStory = {
  collection: '/api/v1/namespaces/$NS/podtemplates',
  right: { template },
  creates: [
    { template: null },
    { template: { metadata: { labels: { 'a b': 'c d' } } } },
    { template: { metadata: { annotations: { 'a b': 'c d' } } } },
    { template: { spec: { restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
    { metadata: { name: 'A' } },
  ],
  updates: [
    { template: { metadata: { labels: { 'a b': 'c d' } } } },
    { template: { spec: { restartPolicy: 'Never' } } },
  ],
};
