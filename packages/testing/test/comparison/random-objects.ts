import fc from 'fast-check';

/* Random objects of a few kinds with a given name, and what is wrong with them at times. */

const values = fc.constantFrom('1', '2');
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

export const labels = maybe(fc.dictionary(fc.constantFrom('x', 'y'), values, { maxKeys: 2 }));
export const finalizers = maybe(
  fc.uniqueArray(fc.constantFrom('e.com/f', 'e.com/g', 'orphan'), { maxLength: 2 }),
);
const owners = maybe(
  fc.uniqueArray(
    fc.record({
      apiVersion: fc.constant('v1'),
      kind: fc.constant('Node'),
      name: fc.constant('n'),
      uid: fc.constantFrom('1', '2'),
      controller: fc.constantFrom(true, false, undefined),
      blockOwnerDeletion: fc.constantFrom(true, undefined, undefined),
    }),
    { selector: ({ uid }) => uid, maxLength: 2 },
  ),
);

export interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

/** What the API server warns of stands between things that it doesn't. */
const rarely = <T>(...warned: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.constantFrom(undefined, undefined, undefined, undefined, ...warned);

const betaClass = 'volume.beta.kubernetes.io/storage-class';
const oldZone = 'failure-domain.beta.kubernetes.io/zone';

export const metadata = (
  name: string,
  annotations: fc.Arbitrary<object | undefined> = fc.constant(undefined),
): fc.Arbitrary<object> =>
  fc.record({
    name: fc.constant(name),
    labels,
    annotations,
    finalizers,
    ownerReferences: owners,
    resourceVersion: fc.constantFrom(undefined, undefined, undefined, undefined, '1', '$VERSION', '0'),
    uid: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, '$UID'),
  });

export const configMap = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('ConfigMap'),
    metadata: metadata(name),
    data: maybe(fc.dictionary(fc.constantFrom('k', 'l', 'm'), values, { maxKeys: 3 })),
    immutable: fc.constantFrom(undefined, undefined, undefined, true),
  });

export const claim = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('PersistentVolumeClaim'),
    metadata: metadata(name, rarely({ [betaClass]: 'fast' }, { [betaClass]: 'slow' })),
    spec: fc.record({
      accessModes: fc.constantFrom(['ReadWriteOnce'], ['ReadWriteMany', 'ReadOnlyMany']),
      resources: fc.constantFrom<object>(
        { requests: { storage: '1Gi' } },
        { requests: { storage: '1024Mi' } },
        { requests: { storage: '2048Mi' } },
        { requests: { storage: '1500m' }, limits: { storage: '10Pi' } },
      ),
      storageClassName: fc.constantFrom(undefined, undefined, 'fast', ''),
      volumeName: fc.constantFrom(undefined, undefined, undefined, 'v'),
    }),
    status: fc.constantFrom(undefined, { phase: 'Bound' }),
  });

export const set = (name: string): fc.Arbitrary<Body> =>
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
        metadata: fc.record({
          labels: fc.constant({ a: 'b' }),
          annotations: rarely({ 'scheduler.alpha.kubernetes.io/critical-pod': '' }),
        }),
        spec: fc.record({
          containers: fc.constantFrom<object[]>(
            [{ name: 'c', image: 'i' }],
            [
              { name: 'c', image: 'j', ports: [{ containerPort: 80 }] },
              { name: 'd', image: 'i' },
            ],
            [{ name: 'c', image: 'i', resources: { limits: { memory: '1500m' } } }],
          ),
          nodeSelector: rarely({ 'beta.kubernetes.io/os': 'linux' }),
        }),
      }),
      revisionHistoryLimit: rarely(3, -1),
      persistentVolumeClaimRetentionPolicy: fc.constantFrom(
        undefined,
        { whenDeleted: 'Delete' },
        { whenScaled: 'Delete' },
      ),
      minReadySeconds: fc.constantFrom(undefined, 3),
    }),
  });

export const pod = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Pod'),
    metadata: metadata(name, rarely({ 'security.alpha.kubernetes.io/sysctls': 'a=b' })),
    spec: fc.record({
      containers: fc.constantFrom<object[]>(
        [{ name: 'c', image: 'i' }],
        [{ name: 'c', image: 'j' }],
        [
          {
            name: 'c',
            image: 'i',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      ),
      nodeSelector: rarely({ [oldZone]: 'z' }),
      nodeName: fc.constantFrom(undefined, undefined, 'n'),
      terminationGracePeriodSeconds: fc.constantFrom(undefined, undefined, 0, 5, -1),
      volumes: fc.constantFrom(undefined, undefined, [
        { name: 'v', persistentVolumeClaim: { claimName: 'a' } },
      ]),
    }),
  });

export const lease = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('coordination.k8s.io/v1'),
    kind: fc.constant('Lease'),
    metadata: metadata(name),
    spec: fc.record({
      holderIdentity: fc.constantFrom(undefined, 'one', 'two', ''),
      leaseDurationSeconds: fc.constantFrom(undefined, 15, 15, 0),
      renewTime: fc.constantFrom(undefined, '2026-01-01T00:00:00.000000Z'),
      leaseTransitions: fc.constantFrom(undefined, 1, -1),
    }),
  });

export const volume = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('PersistentVolume'),
    metadata: metadata(name, rarely({ [betaClass]: 'fast' })),
    spec: fc.record({
      accessModes: fc.constantFrom(['ReadWriteOnce'], ['ReadWriteMany']),
      capacity: fc.constantFrom({ storage: '1Gi' }, { storage: '2048Mi' }),
      csi: fc.constantFrom({ driver: 'd', volumeHandle: 'h' }, { driver: 'd', volumeHandle: 'i' }),
      claimRef: fc.constantFrom(undefined, undefined, { namespace: 'default', name: 'a' }),
      persistentVolumeReclaimPolicy: fc.constantFrom(undefined, 'Delete', 'Retain', 'Recycle'),
      storageClassName: fc.constantFrom(undefined, 'fast'),
      nodeAffinity: rarely(
        ...[oldZone, 'topology.kubernetes.io/zone'].map((key) => ({
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['z'] }] }] },
        })),
      ),
    }),
    status: fc.constantFrom(undefined, { phase: 'Bound' }),
  });

export const attachment = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('storage.k8s.io/v1'),
    kind: fc.constant('VolumeAttachment'),
    metadata: metadata(name),
    spec: fc.record({
      attacher: fc.constantFrom('d', 'd', ''),
      nodeName: fc.constantFrom('n', 'n', 'm'),
      source: fc.constantFrom({ persistentVolumeName: 'v' }, { persistentVolumeName: 'w' }, {}),
    }),
    status: fc.constantFrom(undefined, { attached: true }),
  });

export const storageClass = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('storage.k8s.io/v1'),
    kind: fc.constant('StorageClass'),
    metadata: metadata(name),
    provisioner: fc.constantFrom('d', 'd', 'e'),
    parameters: fc.constantFrom(undefined, { a: '1' }),
    reclaimPolicy: fc.constantFrom(undefined, 'Delete', 'Retain'),
    volumeBindingMode: fc.constantFrom(undefined, 'WaitForFirstConsumer', 'Immediate'),
    allowVolumeExpansion: fc.constantFrom(undefined, true, false),
    allowedTopologies: rarely([{ matchLabelExpressions: [{ key: oldZone, values: ['z'] }] }]),
  });

export const driver = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('storage.k8s.io/v1'),
    kind: fc.constant('CSIDriver'),
    metadata: metadata(name),
    spec: fc.record({
      tokenRequests: fc.constantFrom<object[] | undefined>(
        undefined,
        [{ audience: 'a' }],
        [{ audience: 'b', expirationSeconds: 600 }, { audience: 'a' }],
      ),
      serviceAccountTokenInSecrets: rarely(true),
      requiresRepublish: fc.constantFrom(undefined, true),
    }),
  });

export const secret = (name: string): fc.Arbitrary<Body> =>
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Secret'),
    metadata: metadata(name),
    data: maybe(fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('YQ==', 'Yg=='), { maxKeys: 2 })),
    stringData: fc.constantFrom<object | undefined>(undefined, { k: 'c' }, { 'tls.crt': 'x', 'tls.key': '' }),
    type: fc.constantFrom(undefined, undefined, 'e.com/t', 'kubernetes.io/tls'),
    immutable: fc.constantFrom(undefined, undefined, true),
  });

/** What a hand-written client gets wrong, put into an object that was right. */
export const odd = (body: fc.Arbitrary<Body>): fc.Arbitrary<object> =>
  fc.tuple(body, oddities).map(([right, oddity]) => {
    const wrong: Record<string, unknown> = { ...right };
    for (const [field, value] of Object.entries(oddity)) {
      const old = wrong[field];
      wrong[field] = isPlain(old) && isPlain(value) ? { ...old, ...value } : value;
    }
    return wrong;
  });

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const oddities = fc.constantFrom<object>(
  { unknown: 1 },
  { metadata: { unknown: { a: [] } } },
  { metadata: { labels: null, annotations: null, finalizers: null, ownerReferences: null } },
  { metadata: { labels: { x: 1 } } },
  { metadata: { labels: { x: null } } },
  { metadata: { labels: 'x' } },
  { metadata: { labels: { 'not a label': 'x' } } },
  { metadata: { annotations: { a: 'b', 'A b': '' } } },
  { metadata: { finalizers: ['f', null] } },
  { metadata: { finalizers: ['e.com/f', 'e.com/f'] } },
  { metadata: { ownerReferences: [{ name: 'n' }] } },
  { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1', other: true }] } },
  { metadata: { name: 'A' } },
  { metadata: { name: 'a.b' } },
  { metadata: { name: 'a'.repeat(64) } },
  { metadata: { name: 'a'.repeat(254) } },
  { metadata: { name: null } },
  { metadata: { name: '' } },
  { metadata: { namespace: 'other' } },
  { metadata: { namespace: '$NS' } },
  { metadata: { generation: 7, creationTimestamp: null, managedFields: [] } },
  { metadata: { resourceVersion: 'x' } },
  { metadata: { resourceVersion: 5 } },
  { metadata: null },
  { kind: 'Gadget' },
  { kind: null },
  { apiVersion: 'v2' },
  { data: null },
  { data: { k: 1 } },
  { data: { 'a b': '1' } },
  { data: [] },
  { immutable: 'true' },
  { spec: null },
  { spec: [] },
  { spec: { unknown: true } },
  { spec: { replicas: '3' } },
  { spec: { replicas: -1 } },
  { spec: { replicas: 1.5 } },
  { spec: { replicas: null } },
  { spec: { containers: null } },
  { spec: { template: null } },
  { spec: { selector: null } },
  { spec: { selector: {} } },
  { spec: { accessModes: ['Once'] } },
  { spec: { resources: { requests: { storage: 'much' } } } },
  { spec: { resources: null } },
  { spec: { leaseDurationSeconds: '15' } },
  { spec: { renewTime: 'now' } },
  { spec: { renewTime: '2026-01-01T00:00:01Z' } },
  { spec: { holderIdentity: null } },
  { status: null },
  { status: { unknown: 1 } },
);
