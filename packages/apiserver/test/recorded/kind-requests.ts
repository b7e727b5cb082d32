/*
 * Requests about the kinds that a table describes, whose answers kind-answers.json holds as a kube-apiserver 1.36.3
 * gave them (record-kinds.ts). Each scenario has its own namespace. An object that is as small as it may be shows what
 * has a default.
 */

export type Fields = Readonly<Record<string, unknown>>;

export interface Story {
  /** Without the name. */
  readonly collection: string;
  /** Of the object. Default "a". */
  readonly name?: string;
  /** As little as is taken, besides metadata. Absent: nothing is looked at but what is created. */
  readonly least?: Fields;
  /** Merged into that by PATCH, one after the other. Refusals are answers too. */
  readonly changes?: readonly Fields[];
  /** Merged into the object by PATCH of its subresource status. */
  readonly status?: Fields;
  /** Merged into the object by PATCH of other subresources. */
  readonly parts?: readonly (readonly [name: string, fields: Fields])[];
  /** Merged into its status, one after the other, with a look at the table after each. */
  readonly tables?: readonly Fields[];
  /** Created besides, as b0, b1, ..., unless they bring a name. Refusals are answers too. */
  readonly others?: readonly Fields[];
}

const template = (restartPolicy = 'Always'): Fields => ({
  metadata: { labels: { app: 'a' } },
  spec: { restartPolicy, containers: [{ name: 'c', image: 'i:1' }] },
});
const selector = { matchLabels: { app: 'a' } };
const elsewhere = { matchLabels: { app: 'b' } };

const apiService = {
  group: '$NS.example.com',
  version: 'v1',
  groupPriorityMinimum: 1000,
  versionPriority: 10,
  insecureSkipTLSVerify: true,
  service: { name: 's', namespace: '$NS' },
};

const namespaced = (group: string, plural: string): string =>
  group === 'v1' ? `/api/v1/namespaces/$NS/${plural}` : `/apis/${group}/namespaces/$NS/${plural}`;

const debugger1 = { name: 'd', image: 'i:1' };
const resources = (cpu: string): Fields => ({ requests: { cpu, memory: '1Mi' } });

const containerStatuses = (init: Fields, sidecar: Fields, container: Fields): Fields => ({
  status: { phase: 'Running', initContainerStatuses: [init, sidecar], containerStatuses: [container] },
});
const waiting = (name: string): Fields => ({ name, state: { waiting: { reason: 'PodInitializing' } } });
const running = (name: string, restartCount: number): Fields => ({
  name,
  restartCount,
  state: { running: {} },
  lastState: { terminated: { exitCode: 1, finishedAt: '2020-01-01T00:00:00Z' } },
});
const ended = (name: string, exitCode: number): Fields => ({ name, state: { terminated: { exitCode } } });

export const stories: Readonly<Record<string, Story>> = {
  'parts of pods': {
    collection: namespaced('v1', 'pods'),
    least: { spec: { containers: [{ name: 'c', image: 'i:1', resources: resources('1') }] } },
    parts: [
      ['ephemeralcontainers', { spec: { ephemeralContainers: [debugger1], nodeName: 'n' } }],
      ['ephemeralcontainers', { spec: { ephemeralContainers: [debugger1, { name: 'e', image: 'i:1' }] } }],
      ['ephemeralcontainers', { spec: { ephemeralContainers: [debugger1] } }],
      [
        'ephemeralcontainers',
        {
          spec: {
            ephemeralContainers: [
              { name: 'd', image: 'i:2' },
              { name: 'e', image: 'i:1' },
            ],
          },
        },
      ],
      [
        'ephemeralcontainers',
        {
          spec: {
            ephemeralContainers: [debugger1, { name: 'e', image: 'i:1' }, { name: 'c', image: 'i:1' }],
          },
        },
      ],
      [
        'resize',
        { spec: { containers: [{ name: 'c', image: 'i:2', resources: resources('2') }], nodeName: 'n' } },
      ],
      ['resize', { spec: { containers: [{ name: 'c', image: 'i:1' }] } }],
      ['resize', { spec: { containers: [] } }],
    ],
    others: [{ spec: { containers: [{ name: 'c', image: 'i:1' }], ephemeralContainers: [debugger1] } }],
  },
  'tables of pods': {
    collection: namespaced('v1', 'pods'),
    least: {
      spec: {
        containers: [{ name: 'c', image: 'i:1' }],
        initContainers: [
          { name: 'i', image: 'i:1' },
          { name: 's', image: 'i:1', restartPolicy: 'Always' },
        ],
      },
    },
    tables: [
      containerStatuses(running('i', 2), waiting('s'), waiting('c')),
      containerStatuses(ended('i', 0), waiting('s'), waiting('c')),
      containerStatuses(ended('i', 0), { ...running('s', 3), started: true, ready: true }, waiting('c')),
      containerStatuses(
        ended('i', 0),
        { ...running('s', 3), started: true, ready: true },
        { ...running('c', 1), ready: true },
      ),
      containerStatuses(
        ended('i', 0),
        { ...running('s', 3), started: true },
        { ...running('c', 1), ready: true },
      ),
      containerStatuses(ended('i', 1), waiting('s'), waiting('c')),
    ],
  },
  'classes of pods': {
    collection: namespaced('v1', 'pods'),
    others: [
      { spec: { containers: [{ name: 'c', image: 'i:1' }], priorityClassName: 'system-node-critical' } },
      { spec: { containers: [{ name: 'c', image: 'i:1' }], priorityClassName: 'none' } },
      { spec: { containers: [{ name: 'c', image: 'i:1' }], priority: 7 } },
      {
        spec: {
          containers: [{ name: 'c', image: 'i:1' }],
          priorityClassName: 'system-node-critical',
          priority: 7,
        },
      },
      { spec: { containers: [{ name: 'c', image: 'i:1' }], preemptionPolicy: 'Never' } },
      { spec: { containers: [{ name: 'c', image: 'i:1' }], runtimeClassName: 'none' } },
    ],
  },
  'odd secrets': {
    collection: namespaced('v1', 'secrets'),
    others: [
      { type: 'kubernetes.io/dockerconfigjson' },
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } },
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' } },
      { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'eA==' } },
      { type: 'kubernetes.io/basic-auth' },
      { type: 'kubernetes.io/basic-auth', data: { username: 'eA==' } },
      { type: 'kubernetes.io/ssh-auth' },
      { type: 'kubernetes.io/service-account-token' },
    ],
  },
  'odd nodes': {
    collection: '/api/v1/nodes',
    name: '$NS',
    others: [
      { spec: { taints: [{ key: 'a b', effect: 'NoSchedule' }] } },
      { spec: { taints: [{ key: 'a', value: 'b c', effect: 'NoSchedule' }] } },
      { spec: { taints: [{ key: 'a', effect: 'Never' }] } },
      { spec: { taints: [{ key: 'a' }] } },
      {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', value: 'b', effect: 'NoSchedule' },
          ],
        },
      },
      { spec: { podCIDR: 'x', podCIDRs: ['x'] } },
      { spec: { podCIDR: '10.1.0.0/24' } },
      { spec: { podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'], podCIDR: '10.1.0.0/24' } },
    ],
  },
  'odd CSI nodes': {
    collection: '/apis/storage.k8s.io/v1/csinodes',
    name: '$NS',
    others: [
      {
        spec: {
          drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: null, allocatable: { count: -1 } }],
        },
      },
      { spec: { drivers: [{ name: 'd.example.com', nodeID: '', topologyKeys: ['a b'] }] } },
      { spec: { drivers: [{ name: 'D_', nodeID: 'n', topologyKeys: ['a', 'a'] }] } },
    ],
  },
  'odd storage classes': {
    collection: '/apis/storage.k8s.io/v1/storageclasses',
    name: '$NS',
    others: [
      { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: [] }] }] },
      {
        provisioner: 'p',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'a b', values: ['x', 'x'] }] }],
      },
      {
        provisioner: 'p',
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: 'a', values: ['x'] },
              { key: 'a', values: ['y'] },
            ],
          },
        ],
      },
      { provisioner: 'P b' },
    ],
  },
  'odd sets': {
    collection: namespaced('apps/v1', 'statefulsets'),
    others: [
      { spec: { selector, template: template(), updateStrategy: { rollingUpdate: { partition: -1 } } } },
      {
        spec: {
          selector,
          template: template(),
          updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } },
        },
      },
      { spec: { selector, template: template(), ordinals: { start: -1 } } },
      {
        spec: {
          selector,
          template: template(),
          volumeClaimTemplates: [
            { metadata: { name: 'A' }, spec: { accessModes: ['ReadWriteOnce'], resources: {} } },
          ],
        },
      },
    ],
  },
  'defaults of volumes': {
    collection: '/api/v1/persistentvolumes',
    name: '$NS',
    others: [
      { rbd: { monitors: ['m'], image: 'i' } },
      { iscsi: { targetPortal: 't', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
      { scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' } },
      { hostPath: { path: '/a' } },
    ].map((source) => ({
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
    })),
  },
  'defaults of pods': {
    collection: namespaced('v1', 'pods'),
    others: [
      { rbd: { monitors: ['m'], image: 'i' } },
      { iscsi: { targetPortal: 't', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
      { scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' } },
    ]
      .map((source): Fields => ({
        spec: { containers: [{ name: 'c', image: 'i:1' }], volumes: [{ name: 'v', ...source }] },
      }))
      .concat([
        {
          spec: {
            hostNetwork: true,
            containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }],
          },
        },
      ]),
  },
  'addresses of pods': {
    collection: namespaced('v1', 'pods'),
    least: { spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    parts: [
      ['status', { status: { podIP: '10.0.0.1' } }],
      ['status', { status: { podIP: '10.0.0.2' } }],
      ['status', { status: { podIPs: [{ ip: '10.0.0.3' }] } }],
    ],
  },
  deployments: {
    collection: namespaced('apps/v1', 'deployments'),
    least: { spec: { selector, template: template() } },
    changes: [
      { spec: { replicas: 3, paused: true } },
      { spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 } },
      { spec: { selector: elsewhere } },
      { spec: { strategy: { type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
      { spec: { strategy: { type: 'Sideways' } } },
      { spec: { template: { spec: { restartPolicy: 'Never' } } } },
      { spec: { progressDeadlineSeconds: 5, minReadySeconds: 6 } },
      { metadata: { labels: { x: 'y' } } },
    ],
    status: {
      status: {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 1,
        updatedReplicas: 3,
      },
    },
    others: [
      {},
      { spec: { selector: {}, template: template() } },
      { spec: { selector: elsewhere, template: template() } },
      {
        spec: {
          selector,
          template: template(),
          strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
        },
      },
      { spec: { selector, template: template(), strategy: { rollingUpdate: { maxSurge: '30%' } } } },
    ],
  },
  replicasets: {
    collection: namespaced('apps/v1', 'replicasets'),
    least: { spec: { selector, template: template() } },
    changes: [
      { spec: { replicas: 2, minReadySeconds: 4 } },
      { spec: { replicas: -2 } },
      { spec: { selector: elsewhere } },
      { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
    ],
    status: { status: { observedGeneration: 2, replicas: 2, readyReplicas: 1, fullyLabeledReplicas: 1 } },
    others: [{}, { spec: { selector, template: {} } }],
  },
  daemonsets: {
    collection: namespaced('apps/v1', 'daemonsets'),
    least: { spec: { selector, template: template() } },
    changes: [
      { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } },
      { spec: { updateStrategy: { type: 'Sideways' } } },
      { spec: { selector: elsewhere } },
      { spec: { minReadySeconds: -1 } },
      { spec: { template: { spec: { restartPolicy: 'Never' } } } },
      { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } },
    ],
    status: {
      status: { currentNumberScheduled: 1, desiredNumberScheduled: 2, numberReady: 1, numberMisscheduled: 0 },
    },
    others: [{}],
  },
  jobs: {
    collection: namespaced('batch/v1', 'jobs'),
    least: { spec: { manualSelector: true, selector, template: template('Never') } },
    changes: [
      { spec: { parallelism: 2, suspend: true } },
      { spec: { completions: 4 } },
      { spec: { activeDeadlineSeconds: 100, ttlSecondsAfterFinished: 10 } },
      { spec: { podReplacementPolicy: 'Failed' } },
    ],
    status: { status: { active: 1, ready: 1 } },
    others: [
      {},
      { spec: { manualSelector: true, selector, template: template() } },
      { spec: { manualSelector: true, selector, completionMode: 'Indexed', template: template('Never') } },
      { spec: { manualSelector: true, selector, completionMode: 'Sorted', template: template('Never') } },
      { spec: { manualSelector: true, selector, backoffLimit: -1, template: template('OnFailure') } },
      {
        spec: {
          manualSelector: true,
          selector,
          completions: 3,
          parallelism: 2,
          template: template('OnFailure'),
        },
      },
    ],
  },
  cronjobs: {
    collection: namespaced('batch/v1', 'cronjobs'),
    least: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: template('OnFailure') } } } },
    changes: [
      { spec: { suspend: true, timeZone: 'Etc/UTC' } },
      { spec: { concurrencyPolicy: 'Sometimes' } },
      { spec: { schedule: 'now and then' } },
      { spec: { successfulJobsHistoryLimit: -1 } },
      { spec: { concurrencyPolicy: 'Forbid' } },
    ],
    status: { status: { lastScheduleTime: '2020-01-01T00:00:00Z' } },
    others: [{}, { spec: { schedule: '@daily', jobTemplate: { spec: { template: template() } } } }],
  },
  replicationcontrollers: {
    collection: namespaced('v1', 'replicationcontrollers'),
    least: { spec: { template: template() } },
    changes: [{ spec: { replicas: 2 } }, { spec: { replicas: -2 } }, { spec: { selector: { app: 'b' } } }],
    status: { status: { replicas: 2, readyReplicas: 1 } },
    others: [{}],
  },
  podtemplates: {
    collection: namespaced('v1', 'podtemplates'),
    least: { template: template() },
    changes: [{ template: { metadata: { labels: { app: 'z' } } } }],
    others: [{}],
  },
  services: {
    collection: namespaced('v1', 'services'),
    least: { spec: { clusterIP: 'None', selector: { app: 'a' } } },
    changes: [
      { spec: { ports: [{ port: 80 }] } },
      { spec: { ports: [{ port: 0 }] } },
      { spec: { ports: [{ port: 80 }, { port: 81 }] } },
      { spec: { sessionAffinity: 'ClientIP' } },
      { spec: { type: 'Sometimes' } },
      { spec: { clusterIP: '10.0.0.77' } },
    ],
    status: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
    others: [
      {},
      {
        spec: {
          clusterIP: 'None',
          ports: [
            { name: 'http', port: 80, targetPort: 'web' },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      },
      { spec: { type: 'ExternalName', externalName: 'example.com' } },
      { spec: { type: 'ExternalName' } },
      { spec: { clusterIP: 'None', ports: [{ port: 80, protocol: 'HTTP' }] } },
      { metadata: { name: '1a' }, spec: { clusterIP: 'None' } },
    ],
  },
  endpoints: {
    collection: namespaced('v1', 'endpoints'),
    least: {},
    changes: [
      { subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [{ port: 80 }] }] },
      { subsets: [{ addresses: [{ ip: 'here' }], ports: [{ port: 80 }] }] },
      { subsets: [{ ports: [{ port: 80 }] }] },
      { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 0 }] }] },
    ],
  },
  endpointslices: {
    collection: namespaced('discovery.k8s.io/v1', 'endpointslices'),
    least: { addressType: 'IPv4', endpoints: [] },
    changes: [
      { endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
      { endpoints: [{ addresses: ['here'] }] },
      { addressType: 'IPv6' },
      { endpoints: [{ addresses: [] }] },
    ],
    others: [{}, { addressType: 'IPX', endpoints: [] }],
  },
  limitranges: {
    collection: namespaced('v1', 'limitranges'),
    least: { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } },
    changes: [{ spec: { limits: [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }] } }],
    others: [{}, { spec: { limits: [{ type: '' }] } }],
  },
  resourcequotas: {
    collection: namespaced('v1', 'resourcequotas'),
    least: {},
    changes: [
      { spec: { hard: { 'requests.cpu': '4', pods: '10', 'limits.memory': '4Gi' } } },
      { spec: { hard: { pods: '-1' } } },
      { spec: { scopes: ['NotTerminating'] } },
    ],
    status: { status: { hard: { pods: '10' }, used: { pods: '3' } } },
    others: [{ spec: { scopes: ['Sometimes'] } }],
  },
  horizontalpodautoscalers: {
    collection: namespaced('autoscaling/v2', 'horizontalpodautoscalers'),
    least: {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
    },
    changes: [
      { spec: { minReplicas: 2 } },
      { spec: { minReplicas: 5 } },
      { spec: { maxReplicas: 0 } },
      { spec: { scaleTargetRef: { name: '' } } },
      {
        spec: {
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
            },
          ],
        },
      },
    ],
    status: { status: { currentReplicas: 2, desiredReplicas: 3 } },
    others: [{}],
  },
  'horizontalpodautoscalers of autoscaling/v1': {
    collection: namespaced('autoscaling/v1', 'horizontalpodautoscalers'),
    least: {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
      },
    },
    changes: [{ spec: { minReplicas: 2 } }, { spec: { targetCPUUtilizationPercentage: 60 } }],
    status: { status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 50 } },
    others: [{}],
  },
  poddisruptionbudgets: {
    collection: namespaced('policy/v1', 'poddisruptionbudgets'),
    least: { spec: { selector, minAvailable: 1 } },
    changes: [
      { spec: { minAvailable: '50%' } },
      { spec: { minAvailable: '150%' } },
      { spec: { minAvailable: -1 } },
      { spec: { maxUnavailable: 1 } },
      { spec: { minAvailable: null, maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      { spec: { unhealthyPodEvictionPolicy: 'Sometimes' } },
    ],
    status: { status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 } },
    others: [{}],
  },
  ingresses: {
    collection: namespaced('networking.k8s.io/v1', 'ingresses'),
    least: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    changes: [
      {
        spec: {
          ingressClassName: 'nginx',
          rules: [
            {
              host: 'a.example.com',
              http: {
                paths: [
                  {
                    path: '/',
                    pathType: 'Prefix',
                    backend: { service: { name: 's', port: { name: 'http' } } },
                  },
                ],
              },
            },
          ],
          tls: [{ hosts: ['a.example.com'], secretName: 't' }],
        },
      },
      {
        spec: {
          rules: [
            { http: { paths: [{ path: '/', backend: { service: { name: 's', port: { number: 80 } } } }] } },
          ],
        },
      },
      { spec: { rules: [{ http: { paths: [{ path: 'x', pathType: 'Exact', backend: {} }] } }] } },
      { spec: { rules: [{ host: 'A B' }] } },
    ],
    status: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'h.example.com' }] } } },
    others: [{}],
  },
  ingressclasses: {
    collection: '/apis/networking.k8s.io/v1/ingressclasses',
    name: '$NS',
    least: { spec: { controller: 'example.com/a' } },
    changes: [
      { spec: { parameters: { kind: 'K', name: 'n' } } },
      { spec: { controller: 'example.com/b' } },
      { spec: { parameters: { scope: 'Namespace' } } },
    ],
    others: [{}],
  },
  networkpolicies: {
    collection: namespaced('networking.k8s.io/v1', 'networkpolicies'),
    least: {},
    changes: [
      { spec: { podSelector: selector, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] } },
      { spec: { policyTypes: ['Sideways'] } },
      { spec: { ingress: [{ from: [{}] }] } },
      { spec: { ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] } },
    ],
    others: [{ spec: { egress: [{}] } }],
  },
  ipaddresses: {
    collection: '/apis/networking.k8s.io/v1/ipaddresses',
    name: '10.9.8.7',
    least: { spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } } },
    changes: [{ spec: { parentRef: { name: 't' } } }],
    others: [{}, { metadata: { name: '10.9.8.8' } }],
  },
  servicecidrs: {
    collection: '/apis/networking.k8s.io/v1/servicecidrs',
    name: '$NS',
    least: { spec: { cidrs: ['10.7.0.0/16'] } },
    changes: [{ spec: { cidrs: ['10.8.0.0/16'] } }],
    status: { status: { conditions: [] } },
    others: [{}, { spec: { cidrs: ['x'] } }],
  },
  runtimeclasses: {
    collection: '/apis/node.k8s.io/v1/runtimeclasses',
    name: '$NS',
    least: { handler: 'runc' },
    changes: [
      { handler: 'other' },
      { scheduling: { nodeSelector: { a: 'b' } } },
      { overhead: { podFixed: { cpu: '1' } } },
    ],
    others: [{}, { handler: 'Not a label' }],
  },
  priorityclasses: {
    collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
    name: '$NS',
    least: { value: 10 },
    changes: [{ description: 'some' }, { value: 11 }, { preemptionPolicy: 'Never' }],
    others: [
      {},
      { value: 2000000000 },
      { value: 1, preemptionPolicy: 'Sometimes' },
      { metadata: { name: 'system-x' }, value: 1 },
    ],
  },
  certificatesigningrequests: {
    collection: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    name: '$NS',
    least: {
      spec: {
        signerName: 'example.com/s',
        usages: ['client auth'],
        request:
          'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVE1Ib0NBUUF3R0RFV01CUUdBMVVFQXd3TllTNWxlR0Z0Y0d4bExtTnZiVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQktPT011R2xDaDdvaFFIRmJMZlJHOUpqZGQzV3NjRHpvU0Z2NG5SSERPclk4VmYxCjMxV3p0blFGM2w0WW1ubE1ic2tXa044a3Vyb2xheXFrOU5STFdhK2dBREFLQmdncWhrak9QUVFEQWdOSkFEQkcKQWlFQXp4ZHI1b3ZwcThMcGZOcnEyVnM3cEhHN3d5cnNUZG1EbHNCYlFsandmZ1VDSVFDUGxQbUlwWEtsNGx4VgpHNW5vaFVEY01KT0VLR0pHbzhaKzAvKzAwQUltNGc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K',
      },
    },
    changes: [{ spec: { signerName: 'example.com/t' } }, { status: { certificate: 'YQ==' } }],
    status: {
      status: {
        conditions: [
          { type: 'Approved', status: 'True', reason: 'a' },
          { type: 'Failed', status: 'True', reason: 'b' },
        ],
      },
    },
    parts: [
      ['status', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }],
      ['approval', { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'a' }] } }],
      [
        'approval',
        {
          status: {
            certificate: 'YQ==',
            conditions: [
              { type: 'Failed', status: 'True' },
              { type: 'Approved', status: 'True', reason: 'a' },
            ],
          },
        },
      ],
      ['status', { status: { conditions: [] } }],
    ],
    others: [{}, { spec: { signerName: 'example.com/x', usages: ['nothing'], request: 'YQ==' } }],
  },
  // A controller of kube-apiserver writes the status of one that is there, at any time.
  flowschemas: {
    collection: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    name: '$NS',
    others: [{}, { spec: { priorityLevelConfiguration: { name: 'global-default' } } }],
  },
  prioritylevelconfigurations: {
    collection: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    name: '$NS',
    least: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
    changes: [
      { spec: { limited: { nominalConcurrencyShares: 7 } } },
      { spec: { type: 'Sometimes' } },
      { spec: { limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
    ],
    others: [{}],
  },
  deviceclasses: {
    collection: '/apis/resource.k8s.io/v1/deviceclasses',
    name: '$NS',
    least: {},
    changes: [{ spec: { selectors: [{ cel: { expression: 'device.driver == "d.example.com"' } }] } }],
    others: [{ spec: { selectors: [{}] } }],
  },
  resourceclaims: {
    collection: namespaced('resource.k8s.io/v1', 'resourceclaims'),
    least: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
    changes: [{ spec: { devices: { requests: [{ name: 's', exactly: { deviceClassName: 'c' } }] } } }],
    others: [{}, { spec: { devices: { requests: [{ name: 'r' }] } } }],
  },
  resourceclaimtemplates: {
    collection: namespaced('resource.k8s.io/v1', 'resourceclaimtemplates'),
    least: { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } } },
    others: [{}],
  },
  resourceslices: {
    collection: '/apis/resource.k8s.io/v1/resourceslices',
    name: '$NS',
    least: {
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
      },
    },
    changes: [{ spec: { devices: [{ name: 'd0' }] } }, { spec: { driver: 'e.example.com' } }],
    others: [{}],
  },
  csistoragecapacities: {
    collection: namespaced('storage.k8s.io/v1', 'csistoragecapacities'),
    least: { storageClassName: 'c' },
    changes: [{ capacity: '1Gi' }, { storageClassName: 'd' }, { capacity: '-1' }],
    others: [{}],
  },
  volumeattributesclasses: {
    collection: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    name: '$NS',
    least: { driverName: 'd.example.com', parameters: { a: 'b' } },
    changes: [{ parameters: { a: 'c' } }, { metadata: { labels: { x: 'y' } } }],
    others: [{}, { driverName: 'd.example.com' }],
  },
  mutatingadmissionpolicies: {
    collection: '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
    name: '$NS',
    least: {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
          ],
        },
        reinvocationPolicy: 'Never',
        mutations: [
          { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' } },
        ],
      },
    },
    others: [{}],
  },
  mutatingadmissionpolicybindings: {
    collection: '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    name: '$NS',
    least: { spec: { policyName: 'p' } },
    changes: [{ spec: { matchResources: {} } }, { spec: { policyName: '' } }],
    others: [{}],
  },
  // A controller of kube-apiserver writes the status of one that is there, at any time.
  apiservices: {
    collection: '/apis/apiregistration.k8s.io/v1/apiservices',
    name: 'v1.$NS.example.com',
    others: [
      {},
      { metadata: { name: 'v1.$NS.example.com' }, spec: apiService },
      { metadata: { name: 'v1.$NS.example.com' }, spec: { ...apiService, versionPriority: 0 } },
      { metadata: { name: 'v1.$NS.example.com' }, spec: { ...apiService, service: { port: -1 } } },
    ],
  },
};

function requestsOf({
  collection,
  name = 'a',
  least,
  changes = [],
  status,
  parts = [],
  tables = [],
  others = [],
}: Story): readonly string[] {
  const object = `${collection}/${name}`;
  const created = (fields: Fields, index: number): string => {
    const given = fields['metadata'] as Fields | undefined;
    return `POST ${collection} ${JSON.stringify({ ...fields, metadata: { name: `${name}-b${index}`, ...given } })}`;
  };
  const namespace = 'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}';
  if (least === undefined) {
    return [namespace, ...others.map(created)];
  }
  return [
    namespace,
    `POST ${collection} ${JSON.stringify({ metadata: { name }, ...least, status: { replicas: 5 } })}`,
    `GET ${object}`,
    `GET:table ${object}`,
    `PATCH:merge ${object}?fieldValidation=Strict {"metadata":{"annotations":{"a":"b"}}}`,
    ...changes.map((change) => `PATCH:merge ${object} ${JSON.stringify(change)}`),
    ...(status === undefined
      ? []
      : [
          `PATCH:merge ${object}/status ${JSON.stringify({ ...status, spec: { unknown: 1 } })}`,
          `PATCH:merge ${object} {"status":{"replicas":9},"metadata":{"labels":{"a":"c"}}}`,
        ]),
    ...parts.map(([part, fields]) => `PATCH:merge ${object}/${part} ${JSON.stringify(fields)}`),
    ...tables.flatMap((fields) => [
      `PATCH:merge ${object}/status ${JSON.stringify(fields)}`,
      `GET:table ${object}`,
    ]),
    `GET:table ${object}`,
    ...others.map(created),
    `GET:metadata ${object}`,
    `DELETE ${object}`,
    `GET ${object}`,
  ];
}

export const scenarios: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(stories).map(([kind, story]) => [kind, requestsOf(story)]),
);
