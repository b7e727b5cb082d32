import fc from 'fast-check';
import { type Fields, type Kind, builtInKind, nameIn, scaleRequests, text } from './random-kind.ts';
import {
  attachment,
  claim,
  configMap,
  driver,
  lease,
  pod,
  secret,
  set,
  storageClass,
  volume,
} from './random-objects.ts';
import { richPod, richSet } from './rich-pods.ts';

/* The kinds with which the controllers deal: their objects are random in all fields that have rules of their own. */

export const plainKinds: readonly Kind[] = [
  builtInKind('v1', 'configmaps', { body: configMap, least: {} }),
  builtInKind('v1', 'persistentvolumeclaims', {
    least: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    body: claim,
    statuses: [
      { status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
      { status: { phase: 'Lost' }, metadata: { labels: { from: 'status' } } },
      { status: { conditions: [{ type: 'Resizing', status: 'True' }] } },
    ],
  }),
  builtInKind('apps/v1', 'statefulsets', {
    least: {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
    body: set,
    mutable: richSet,
    statuses: [
      { status: { replicas: 2, readyReplicas: 1 } },
      { status: { replicas: 1, observedGeneration: 1 }, spec: { replicas: 9 } },
      { status: { replicas: 1, readyReplicas: 3 } },
    ],
    own: scaleRequests,
  }),
  builtInKind('v1', 'pods', {
    least: { spec: { containers: [{ name: 'c', image: 'i' }] } },
    body: pod,
    mutable: richPod,
    statuses: [
      { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      { status: { phase: 'Succeeded' }, metadata: { labels: { from: 'status' } } },
      { status: { podIP: '2001:DB8::1', podIPs: [{ ip: '2001:DB8::1' }] } },
      {
        status: { containerStatuses: [{ name: 'c', ready: true, restartCount: 1, image: 'i', imageID: '' }] },
      },
    ],
    own: (one) => {
      const name = nameIn(one);
      return [
        {
          weight: 3,
          arbitrary: fc
            .tuple(
              fc.constantFrom('', '?dryRun=All'),
              fc.constantFrom<Fields>(
                { metadata: { name }, target: { kind: 'Node', name: 'n' } },
                { metadata: { name, annotations: { at: 'n' } }, target: { name: 'm' } },
                { metadata: { name, uid: '$UID' }, target: { kind: 'Node', name: 'n' } },
              ),
            )
            .map(([q, b]) => `POST ${one}/binding${q} ${text(b)}`),
        },
        {
          weight: 2,
          arbitrary: fc
            .tuple(
              fc.constantFrom('', '?dryRun=All'),
              fc.constantFrom<Fields>(
                {},
                { deleteOptions: { gracePeriodSeconds: 3 } },
                { deleteOptions: { gracePeriodSeconds: 0 } },
                { deleteOptions: { preconditions: { uid: '$UID' } } },
                { deleteOptions: { preconditions: { resourceVersion: '$VERSION' } } },
                { deleteOptions: { preconditions: { resourceVersion: '1' } } },
                { deleteOptions: { dryRun: ['All'] } },
              ),
            )
            .map(([q, b]) => `POST ${one}/eviction${q} ${text({ metadata: { name }, ...b })}`),
        },
        {
          weight: 2,
          arbitrary: fc
            .constantFrom(
              '?gracePeriodSeconds=2',
              '?gracePeriodSeconds=60',
              '?gracePeriodSeconds=1&propagationPolicy=Foreground',
              ' {"gracePeriodSeconds":4}',
              ' {"gracePeriodSeconds":0,"preconditions":{"uid":"$UID"}}',
            )
            .map((options) => `DELETE ${one}${options}`),
        },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(
              'spec.nodeName%3Dn',
              'spec.nodeName!%3Dn,status.phase!%3DRunning',
              'status.phase%3DPending',
            )
            .map((selector) => `GET ${one.slice(0, one.lastIndexOf('/'))}?fieldSelector=${selector}`),
        },
      ];
    },
  }),
  builtInKind('coordination.k8s.io/v1', 'leases', { body: lease, least: {} }),
  builtInKind('v1', 'secrets', { body: secret, least: {} }),
  builtInKind('v1', 'persistentvolumes', {
    least: {},
    body: volume,
    statuses: [{ status: { phase: 'Bound' } }, { status: { phase: 'Released', reason: 'r' } }],
  }),
  builtInKind('storage.k8s.io/v1', 'volumeattachments', {
    least: {},
    body: attachment,
    statuses: [
      { status: { attached: true, attachmentMetadata: { a: 'b' } } },
      { status: { attached: false, detachError: { message: 'm' } } },
    ],
  }),
  builtInKind('storage.k8s.io/v1', 'storageclasses', {
    least: {},
    body: storageClass,
  }),
  builtInKind('storage.k8s.io/v1', 'csidrivers', {
    least: {},
    body: driver,
  }),
];
