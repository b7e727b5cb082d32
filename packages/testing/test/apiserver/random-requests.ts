import fc from 'fast-check';

/* Random requests about a few objects of three kinds, as the lines that recorded/replay.ts sends. */

const names = fc.constantFrom('a', 'b');
const managers = fc.constantFrom('', 'fieldManager=one', 'fieldManager=two');
const values = fc.constantFrom('1', '2');
const queries = (...more: string[]): fc.Arbitrary<string> =>
  fc
    .tuple(managers, fc.constantFrom('', '', '', 'dryRun=All', ...more))
    .map((parts) => parts.filter((part) => part !== '').join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));

const labels = fc.option(fc.dictionary(fc.constantFrom('x', 'y'), values, { maxKeys: 2 }), {
  nil: undefined,
});
const finalizers = fc.option(
  fc.uniqueArray(fc.constantFrom('e.com/f', 'e.com/g', 'orphan'), { maxLength: 2 }),
  { nil: undefined },
);
const owners = fc.option(
  fc.uniqueArray(
    fc.record({
      apiVersion: fc.constant('v1'),
      kind: fc.constant('Node'),
      name: fc.constant('n'),
      uid: fc.constantFrom('1', '2'),
      controller: fc.constantFrom(true, false),
    }),
    { selector: ({ uid }) => uid, maxLength: 2 },
  ),
  { nil: undefined },
);

interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

const metadata = (name: string): fc.Arbitrary<object> =>
  fc.record({
    name: fc.constant(name),
    labels,
    finalizers,
    ownerReferences: owners,
    resourceVersion: fc.constantFrom(undefined, undefined, undefined, undefined, '1'),
  });

const configMap = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('ConfigMap'),
    metadata: metadata(name),
    data: fc.option(fc.dictionary(fc.constantFrom('k', 'l', 'm'), values, { maxKeys: 3 }), {
      nil: undefined,
    }),
    immutable: fc.constantFrom(undefined, undefined, undefined, true),
  });

const claim = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('PersistentVolumeClaim'),
    metadata: metadata(name),
    spec: fc.record({
      accessModes: fc.constantFrom(['ReadWriteOnce'], ['ReadWriteMany', 'ReadOnlyMany']),
      resources: fc.constantFrom({ requests: { storage: '1Gi' } }, { requests: { storage: '2048Mi' } }),
      storageClassName: fc.constantFrom(undefined, undefined, 'fast', ''),
      volumeName: fc.constantFrom(undefined, undefined, undefined, 'v'),
    }),
    status: fc.constantFrom(undefined, { phase: 'Bound' }),
  });

const set = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('apps/v1'),
    kind: fc.constant('StatefulSet'),
    metadata: metadata(name),
    spec: fc.record({
      replicas: fc.constantFrom(undefined, 0, 2),
      selector: fc.constantFrom(
        { matchLabels: { a: 'b' } },
        { matchLabels: { a: 'b' } },
        { matchLabels: { a: 'c' } },
      ),
      template: fc.record({
        metadata: fc.constant({ labels: { a: 'b' } }),
        spec: fc.record({
          containers: fc.constantFrom(
            [{ name: 'c', image: 'i' }],
            [
              { name: 'c', image: 'j', ports: [{ containerPort: 80 }] },
              { name: 'd', image: 'i' },
            ],
          ),
        }),
      }),
      persistentVolumeClaimRetentionPolicy: fc.constantFrom(
        undefined,
        { whenDeleted: 'Delete' },
        { whenScaled: 'Delete' },
      ),
      minReadySeconds: fc.constantFrom(undefined, 3),
    }),
  });

const kinds = [
  { path: '$CONFIGMAPS', body: configMap, hasStatus: false },
  { path: '$CLAIMS', body: claim, hasStatus: true },
  { path: '$SETS', body: set, hasStatus: true },
] as const;

const statuses: Readonly<Record<string, readonly object[]>> = {
  $CLAIMS: [
    { status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
    { status: { phase: 'Lost' }, metadata: { labels: { from: 'status' } } },
    { status: { conditions: [{ type: 'Resizing', status: 'True' }] } },
  ],
  $SETS: [
    { status: { replicas: 2, readyReplicas: 1 } },
    { status: { replicas: 1, observedGeneration: 1 }, spec: { replicas: 9 } },
    { status: { replicas: 1, readyReplicas: 3 } },
  ],
};

const jsonPatches = fc.constantFrom(
  [{ op: 'add', path: '/metadata/labels', value: { z: 'z' } }],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 'e.com/h' }],
  [{ op: 'remove', path: '/metadata/finalizers' }],
  [{ op: 'test', path: '/metadata/finalizers', value: null }],
  [{ op: 'replace', path: '/metadata/finalizers', value: ['e.com/f'] }],
  [{ op: 'remove', path: '/metadata/ownerReferences/0' }],
);

const mergePatches = fc.oneof(
  fc.record({ metadata: fc.record({ labels, finalizers }) }),
  fc.constantFrom<object>(
    { metadata: { finalizers: null } },
    { metadata: { labels: null, ownerReferences: null } },
    { metadata: { resourceVersion: '1' } },
    { data: { k: '9', l: null } },
    { spec: { replicas: 5 } },
    { spec: { storageClassName: 'slow' } },
    { spec: { volumeName: 'w' } },
    { spec: { resources: { requests: { storage: '3Gi' } } } },
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    {},
  ),
);

const strategicPatches = fc.constantFrom<object>(
  { metadata: { finalizers: ['e.com/s'] } },
  { metadata: { $patch: 'merge', labels: { s: 's' } } },
  { metadata: { ownerReferences: [{ uid: '1', $patch: 'delete' }] } },
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'k' }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'd', $patch: 'delete' }] } } } },
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
);

const anyRequest: fc.Arbitrary<string> = fc.tuple(fc.constantFrom(...kinds), names).chain(([kind, name]) => {
  const { path, body } = kind;
  const one = `${path}/${name}`;
  const text = (value: unknown): string => JSON.stringify(value);
  const requests: fc.WeightedArbitrary<string>[] = [
    { weight: 6, arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `POST ${path}${q} ${text(b)}`) },
    { weight: 3, arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `PUT ${one}${q} ${text(b)}`) },
    {
      weight: 4,
      arbitrary: fc.tuple(queries(), mergePatches).map(([q, p]) => `PATCH:merge ${one}${q} ${text(p)}`),
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
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '?labelSelector=x%3D1').map((query) => `DELETE ${path}${query}`),
    },
    { weight: 1, arbitrary: fc.constant(`GET ${one}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '?labelSelector=x', '?limit=1').map((query) => `GET ${path}${query}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(one, path).map((at) => `GET:table ${at}`) },
  ];
  if (kind.hasStatus) {
    requests.push({
      weight: 3,
      arbitrary: fc
        .tuple(queries(), fc.constantFrom(...(statuses[path] ?? [])))
        .map(([q, s]) => `PATCH:merge ${one}/status${q} ${text(s)}`),
    });
  }
  return fc.oneof(...requests);
});

/** Sequences of requests in one namespace. */
export function randomRequests(maxLength: number): fc.Arbitrary<string[]> {
  return fc.array(anyRequest, { minLength: 1, maxLength, size: 'max' });
}
