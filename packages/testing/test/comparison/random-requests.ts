import fc from 'fast-check';
import {
  type Body,
  attachment,
  claim,
  configMap,
  driver,
  finalizers,
  labels,
  lease,
  odd,
  pod,
  secret,
  set,
  storageClass,
  volume,
} from './random-objects.ts';

/* Random requests about a few objects of a few kinds, as the lines that play-requests.ts sends. */

const names = fc.constantFrom('a', 'b');
const managers = fc.constantFrom('', 'fieldManager=one', 'fieldManager=two');
const queries = (...more: string[]): fc.Arbitrary<string> =>
  fc
    .tuple(managers, fc.constantFrom('', '', '', 'dryRun=All', ...more))
    .map((parts) => parts.filter((part) => part !== '').join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));
const validations = fc.constantFrom(
  '',
  '?fieldValidation=Strict',
  '?fieldValidation=Warn',
  '?fieldValidation=Ignore',
  '?fieldValidation=Strict&dryRun=All',
);

interface Kind {
  readonly path: string;
  /** Such objects are everybody's: they are named after the namespace, and never listed. */
  readonly isInNoNamespace?: boolean;
  readonly body: (name: string) => fc.Arbitrary<Body>;
  /** What is written to status. */
  readonly statuses: readonly object[];
  /** Requests that only this kind knows. */
  readonly own: (one: string) => readonly fc.WeightedArbitrary<string>[];
}

const text = (value: unknown): string => JSON.stringify(value);

const scales = fc.constantFrom<object>(
  { spec: { replicas: 4 } },
  { spec: { replicas: 0 } },
  { spec: {} },
  { spec: { replicas: -1 } },
  { metadata: { resourceVersion: '$VERSION' }, spec: { replicas: 1 } },
  { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } },
  { metadata: { uid: '$UID' }, spec: { replicas: 2 }, status: { replicas: 7 } },
);

const kinds: readonly Kind[] = [
  { path: '$CONFIGMAPS', body: configMap, statuses: [], own: () => [] },
  {
    path: '$CLAIMS',
    body: claim,
    statuses: [
      { status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
      { status: { phase: 'Lost' }, metadata: { labels: { from: 'status' } } },
      { status: { conditions: [{ type: 'Resizing', status: 'True' }] } },
    ],
    own: () => [],
  },
  {
    path: '$SETS',
    body: set,
    statuses: [
      { status: { replicas: 2, readyReplicas: 1 } },
      { status: { replicas: 1, observedGeneration: 1 }, spec: { replicas: 9 } },
      { status: { replicas: 1, readyReplicas: 3 } },
    ],
    own: (one) => [
      { weight: 1, arbitrary: fc.constant(`GET ${one}/scale`) },
      {
        weight: 2,
        arbitrary: fc.tuple(queries(), scales).map(([q, s]) => {
          const { metadata, ...rest } = s as { metadata?: object };
          const name = one.slice(one.lastIndexOf('/') + 1);
          return `PUT ${one}/scale${q} ${text({ metadata: { name, ...metadata }, ...rest })}`;
        }),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(queries(), scales).map(([q, s]) => `PATCH:merge ${one}/scale${q} ${text(s)}`),
      },
      {
        weight: 1,
        arbitrary: fc.constant(
          `PATCH:json ${one}/scale [{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3}]`,
        ),
      },
    ],
  },
  {
    path: '$PODS',
    body: pod,
    statuses: [
      { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      { status: { phase: 'Succeeded' }, metadata: { labels: { from: 'status' } } },
      { status: { podIP: '2001:DB8::1', podIPs: [{ ip: '2001:DB8::1' }] } },
      {
        status: { containerStatuses: [{ name: 'c', ready: true, restartCount: 1, image: 'i', imageID: '' }] },
      },
    ],
    own: (one) => {
      const name = one.slice(one.lastIndexOf('/') + 1);
      return [
        {
          weight: 3,
          arbitrary: fc
            .tuple(
              fc.constantFrom('', '?dryRun=All'),
              fc.constantFrom<object>(
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
              fc.constantFrom<object>(
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
            .map((selector) => `GET $PODS?fieldSelector=${selector}`),
        },
      ];
    },
  },
  { path: '$LEASES', body: lease, statuses: [], own: () => [] },
  { path: '$SECRETS', body: secret, statuses: [], own: () => [] },
  {
    path: '/api/v1/persistentvolumes',
    isInNoNamespace: true,
    body: volume,
    statuses: [{ status: { phase: 'Bound' } }, { status: { phase: 'Released', reason: 'r' } }],
    own: () => [],
  },
  {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    isInNoNamespace: true,
    body: attachment,
    statuses: [
      { status: { attached: true, attachmentMetadata: { a: 'b' } } },
      { status: { attached: false, detachError: { message: 'm' } } },
    ],
    own: () => [],
  },
  {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    isInNoNamespace: true,
    body: storageClass,
    statuses: [],
    own: () => [],
  },
  {
    path: '/apis/storage.k8s.io/v1/csidrivers',
    isInNoNamespace: true,
    body: driver,
    statuses: [],
    own: () => [],
  },
];

const jsonPatches = fc.constantFrom<object>(
  [{ op: 'add', path: '/metadata/labels', value: { z: 'z' } }],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 'e.com/h' }],
  [{ op: 'remove', path: '/metadata/finalizers' }],
  [{ op: 'test', path: '/metadata/finalizers', value: null }],
  [{ op: 'replace', path: '/metadata/finalizers', value: ['e.com/f'] }],
  [{ op: 'remove', path: '/metadata/ownerReferences/0' }],
  [
    { op: 'test', path: '/metadata/uid', value: '$UID' },
    { op: 'add', path: '/metadata/annotations', value: { checked: 'uid' } },
  ],
  [
    { op: 'test', path: '/metadata/resourceVersion', value: '$VERSION' },
    { op: 'add', path: '/metadata/annotations', value: { checked: 'version' } },
  ],
  [
    { op: 'test', path: '/metadata/finalizers/0', value: 'e.com/f' },
    { op: 'remove', path: '/metadata/finalizers/0' },
  ],
  [
    { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
    { op: 'move', from: '/metadata/labels/x', path: '/metadata/labels/w' },
  ],
);

const mergePatches = fc.oneof(
  fc.record({ metadata: fc.record({ labels, finalizers }) }),
  fc.constantFrom<object>(
    { metadata: { finalizers: null } },
    { metadata: { labels: null, ownerReferences: null } },
    { metadata: { resourceVersion: '1' } },
    { metadata: { resourceVersion: '$VERSION', annotations: { sure: 'yes' } } },
    { metadata: { uid: '$UID', annotations: { mine: 'yes' } } },
    { data: { k: '9', l: null } },
    { spec: { replicas: 5 } },
    { spec: { storageClassName: 'slow' } },
    { spec: { volumeName: 'w' } },
    { spec: { resources: { requests: { storage: '3Gi' } } } },
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    { spec: { holderIdentity: 'three', leaseTransitions: 2 } },
    { spec: { persistentVolumeReclaimPolicy: 'Recycle' } },
    { spec: { claimRef: { uid: '1', resourceVersion: '2' } } },
    { spec: { claimRef: null } },
    { spec: { nodeName: 'o' } },
    { spec: { revisionHistoryLimit: -1 } },
    { spec: { tokenRequests: [{ audience: 'c' }] } },
    { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } } },
    { stringData: { 'tls.crt': 'y' } },
    { provisioner: 'f' },
    { allowVolumeExpansion: true, metadata: { annotations: { 'e.com/a': 'b' } } },
    { type: 'e.com/u' },
    { spec: { unknown: 1 }, unknown: {} },
    {},
  ),
);

const strategicPatches = fc.constantFrom<object>(
  { metadata: { finalizers: ['e.com/s'] } },
  { metadata: { $patch: 'merge', labels: { s: 's' } } },
  { metadata: { ownerReferences: [{ uid: '1', $patch: 'delete' }] } },
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'k' }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'd', $patch: 'delete' }] } } } },
  { spec: { containers: [{ name: 'c', image: 'k' }] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/f'] } },
);

const deletions = fc.constantFrom(
  '',
  '?dryRun=All',
  '?propagationPolicy=Foreground',
  '?propagationPolicy=Orphan',
  '?propagationPolicy=Background',
  '?gracePeriodSeconds=0',
  ' {"preconditions":{"uid":"x"}}',
  ' {"preconditions":{"resourceVersion":"1"}}',
  ' {"preconditions":{"uid":"$UID"}}',
  ' {"preconditions":{"resourceVersion":"$VERSION"}}',
  ' {"preconditions":{"uid":"$UID","resourceVersion":"$VERSION"},"propagationPolicy":"Foreground"}',
);

const lists = fc.constantFrom(
  '',
  '?labelSelector=x',
  '?labelSelector=x%3D1,y%20notin%20(2)',
  '?fieldSelector=metadata.name%3Da',
  '?fieldSelector=metadata.name!%3Da&labelSelector=x',
  '?limit=1',
  '?limit=1&labelSelector=x',
  '?limit=1&continue=$CONTINUE',
  '?limit=1&continue=$CONTINUE',
  '?continue=$CONTINUE',
  '?resourceVersion=$NOW&resourceVersionMatch=Exact',
  '?resourceVersion=$THEN&resourceVersionMatch=Exact',
  '?resourceVersion=$THEN&resourceVersionMatch=Exact&limit=1',
  '?resourceVersion=$THEN&limit=1',
  '?resourceVersion=$START&resourceVersionMatch=Exact',
  '?resourceVersion=$NOW&resourceVersionMatch=NotOlderThan',
  '?resourceVersion=$NOW&resourceVersionMatch=NotOlderThan&limit=1',
  '?resourceVersion=$NOW&labelSelector=x',
  '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=$NOW',
  '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=x',
);

const watches = fc.constantFrom(
  '?resourceVersion=$NOW',
  '?resourceVersion=$THEN',
  '?resourceVersion=$NOW&labelSelector=x',
  '?resourceVersion=$NOW&labelSelector=x%3D1',
  '?resourceVersion=$THEN&labelSelector=x%3D1,y',
  '?resourceVersion=$START&fieldSelector=metadata.name!%3Da',
  '?resourceVersion=$THEN&fieldSelector=metadata.name!%3Da&labelSelector=!z',
);

const anyRequest: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...kinds), names)
  .chain(([kind, letter]) => {
    const { path, isInNoNamespace = false, body, statuses } = kind;
    const name = isInNoNamespace ? `$NS-${letter}` : letter;
    const one = `${path}/${name}`;
    const requests: fc.WeightedArbitrary<string>[] = [
      {
        weight: 6,
        arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `POST ${path}${q} ${text(b)}`),
      },
      { weight: 3, arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `PUT ${one}${q} ${text(b)}`) },
      {
        weight: 1,
        arbitrary: fc.tuple(validations, odd(body(name))).map(([q, b]) => `POST ${path}${q} ${text(b)}`),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(validations, odd(body(name))).map(([q, b]) => `PUT ${one}${q} ${text(b)}`),
      },
      {
        weight: 4,
        arbitrary: fc
          .tuple(queries('fieldValidation=Strict', 'fieldValidation=Ignore'), mergePatches)
          .map(([q, p]) => `PATCH:merge ${one}${q} ${text(p)}`),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(queries(), jsonPatches).map(([q, p]) => `PATCH:json ${one}${q} ${text(p)}`),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(queries(), strategicPatches)
          .map(([q, p]) => `PATCH:strategic ${one}${q} ${text(p)}`),
      },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            fc.constantFrom('one', 'two', 'kubectl'),
            fc.constantFrom('', '&force=true', '&dryRun=All'),
            body(name),
          )
          .map(([m, q, b]) => `PATCH:apply ${one}?fieldManager=${m}${q} ${text(b)}`),
      },
      { weight: 3, arbitrary: deletions.map((options) => `DELETE ${one}${options}`) },
      { weight: 1, arbitrary: fc.constantFrom('', '?resourceVersion=$NOW').map((q) => `GET ${one}${q}`) },
      { weight: 1, arbitrary: fc.constant(`GET:table ${one}`) },
      { weight: 1, arbitrary: fc.constant(`GET:metadata ${one}`) },
      ...kind.own(one),
    ];
    if (!isInNoNamespace) {
      requests.push(
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(
              '',
              '?labelSelector=x%3D1',
              '?fieldSelector=metadata.name%3Da',
              '?dryRun=All',
              '?limit=1',
            )
            .map((query) => `DELETE ${path}${query}`),
        },
        { weight: 3, arbitrary: lists.map((query) => `GET ${path}${query}`) },
        { weight: 1, arbitrary: watches.map((query) => `WATCH ${path}${query}`) },
        { weight: 1, arbitrary: fc.constantFrom(`GET:table ${path}`, `GET:metadatalist ${path}`) },
      );
    }
    if (statuses.length > 0) {
      const status = fc.constantFrom(...statuses);
      requests.push(
        {
          weight: 3,
          arbitrary: fc.tuple(queries(), status).map(([q, s]) => `PATCH:merge ${one}/status${q} ${text(s)}`),
        },
        {
          weight: 2,
          arbitrary: fc
            .tuple(queries(), body(name), status)
            .map(([q, b, s]) => `PUT ${one}/status${q} ${text({ ...b, ...s, metadata: b.metadata })}`),
        },
        {
          weight: 1,
          arbitrary: fc.constant(`GET ${one}/status`),
        },
      );
    }
    return fc.oneof(...requests);
  });

/** Sequences of requests in one namespace. */
export function randomRequests(maxLength: number): fc.Arbitrary<string[]> {
  return fc.array(anyRequest, { minLength: 1, maxLength, size: 'max' });
}
