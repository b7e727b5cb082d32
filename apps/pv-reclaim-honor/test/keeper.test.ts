import { describe, expect, test } from '@jest/globals';
import { driverOfPlugin, translateToCsi } from '../src/csi-migration.ts';
import { keeperAnnotations, keeperOf, type KeeperOptions } from '../src/keeper.ts';
import {
  csiFinalizer,
  heldByAnnotation,
  hostPathFinalizer,
  inTreeFinalizer,
  volume,
  type VolumeShape,
} from './objects.ts';

const options: KeeperOptions = {
  mode: 'reclaim',
  hasSockets: true,
  hasDriver: (name) => ['csi.example.com', 'ebs.csi.aws.com'].includes(name),
  migratedPlugins: [],
  canDeleteInTree: ({ spec }) => spec?.hostPath?.path.startsWith('/tmp/hostpath_pv/') ?? false,
  csiFinalizer,
  namespaces: [],
};
const ebs = { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } };
const hostPath = { hostPath: { path: '/tmp/hostpath_pv/v' } };
const provisionedBy = (name: string) => ({ 'pv.kubernetes.io/provisioned-by': name });
const migratedTo = (name: string) => ({ 'pv.kubernetes.io/migrated-to': name });
const kindAndName = (shape: VolumeShape, more: Partial<KeeperOptions> = {}) => {
  const keeper = keeperOf(volume(shape), { ...options, ...more });
  return keeper.kind === 'foreign' ? 'foreign' : `${keeper.kind} ${keeper.name}`;
};
const recorded = (finalizer: string) => ({ [heldByAnnotation]: finalizer });

describe('whose volume', () => {
  test.each<{ name: string; shape: VolumeShape; more?: Partial<KeeperOptions>; keeper: string }>([
    { name: 'CSI, static, our driver', shape: {}, keeper: 'csi csi.example.com' },
    {
      name: 'CSI, provisioned by our driver',
      shape: { annotations: provisionedBy('csi.example.com') },
      keeper: 'csi csi.example.com',
    },
    {
      name: 'CSI, provisioned by another',
      shape: { annotations: provisionedBy('x.example.com') },
      keeper: 'foreign',
    },
    {
      name: "CSI, provisioned by ours, but another driver's source",
      shape: {
        annotations: provisionedBy('csi.example.com'),
        source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } },
      },
      keeper: 'foreign',
    },
    {
      name: "CSI, another driver's",
      shape: { source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } } },
      keeper: 'foreign',
    },
    {
      name: 'P9: CSI, provisioned in-tree, migrated to our driver, whose source it has',
      shape: {
        annotations: { ...provisionedBy('kubernetes.io/aws-ebs'), ...migratedTo('csi.example.com') },
      },
      keeper: 'csi csi.example.com',
    },
    {
      name: 'P9: CSI, provisioned in-tree, not migrated',
      shape: { annotations: provisionedBy('kubernetes.io/aws-ebs') },
      keeper: 'foreign',
    },
    {
      name: "P9: CSI, static, our driver's source, migrated to another",
      shape: { annotations: migratedTo('x.example.com') },
      keeper: 'foreign',
    },
    {
      name: "P9: CSI, another driver's source, migrated to ours",
      shape: {
        annotations: migratedTo('csi.example.com'),
        source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } },
      },
      keeper: 'foreign',
    },
    {
      name: 'P9: EBS, provisioned by the driver that takes it over',
      shape: { source: ebs, annotations: provisionedBy('ebs.csi.aws.com') },
      keeper: 'csi ebs.csi.aws.com',
    },
    {
      name: 'P9: EBS, provisioned by the driver that takes it over, annotated with another',
      shape: {
        source: ebs,
        annotations: { ...provisionedBy('ebs.csi.aws.com'), ...migratedTo('x.example.com') },
      },
      keeper: 'foreign',
    },
    { name: 'hostPath, static', shape: { source: hostPath }, keeper: 'inTree kubernetes.io/host-path' },
    {
      name: 'hostPath, provisioned in-tree',
      shape: { source: hostPath, annotations: provisionedBy('kubernetes.io/host-path') },
      keeper: 'inTree kubernetes.io/host-path',
    },
    {
      name: 'hostPath, provisioned by an external provisioner',
      shape: { source: hostPath, annotations: provisionedBy('rancher.io/local-path') },
      keeper: 'foreign',
    },
    {
      name: 'EBS, not migrated',
      shape: { source: ebs, annotations: provisionedBy('kubernetes.io/aws-ebs') },
      keeper: 'inTree kubernetes.io/aws-ebs',
    },
    {
      name: 'EBS, migrated by annotation',
      shape: {
        source: ebs,
        annotations: { ...provisionedBy('kubernetes.io/aws-ebs'), ...migratedTo('ebs.csi.aws.com') },
      },
      keeper: 'csi ebs.csi.aws.com',
    },
    {
      name: 'EBS, migrated by flag',
      shape: { source: ebs },
      more: { migratedPlugins: ['kubernetes.io/aws-ebs'] },
      keeper: 'csi ebs.csi.aws.com',
    },
    {
      name: 'EBS, migrated to a driver that is not connected',
      shape: { source: ebs, annotations: migratedTo('ebs.csi.aws.com') },
      more: { hasDriver: () => false },
      keeper: 'foreign',
    },
    {
      name: 'EBS, annotated with a driver that does not take over EBS',
      shape: { source: ebs, annotations: migratedTo('csi.example.com') },
      keeper: 'foreign',
    },
    {
      name: 'P6: CSI, another driver, a finalizer of ours is recorded',
      shape: {
        annotations: recorded(csiFinalizer),
        finalizers: [csiFinalizer],
        source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } },
      },
      keeper: 'away x.example.com',
    },
    {
      name: 'P6: CSI, another driver, the shared finalizer is not recorded',
      shape: {
        finalizers: [csiFinalizer],
        source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } },
      },
      keeper: 'foreign',
    },
    {
      name: 'P6: CSI, another driver, a finalizer of --csi-finalizer that only we can use',
      shape: {
        finalizers: ['example.com/reclaim'],
        source: { csi: { driver: 'x.example.com', volumeHandle: 'h' } },
      },
      more: { csiFinalizer: 'example.com/reclaim' },
      keeper: 'away x.example.com',
    },
    {
      name: 'P6: recorded, claim in another namespace than the named ones',
      shape: { annotations: recorded(csiFinalizer), finalizers: [csiFinalizer], claimUid: 'c' },
      more: { namespaces: ['elsewhere'] },
      keeper: 'foreign',
    },
    {
      name: 'P3: hostPath outside the root, held by a process with another root',
      shape: {
        source: { hostPath: { path: '/data/v' } },
        annotations: recorded(inTreeFinalizer),
        finalizers: [inTreeFinalizer],
      },
      keeper: 'away kubernetes.io/host-path',
    },
    { name: 'source that nobody knows', shape: { source: {} }, keeper: 'foreign' },
    {
      name: 'claim in another namespace than the named ones',
      shape: { claimUid: 'c' },
      more: { namespaces: ['elsewhere'] },
      keeper: 'foreign',
    },
    {
      name: 'claim in one of the named namespaces',
      shape: { claimUid: 'c' },
      more: { namespaces: ['ns'] },
      keeper: 'csi csi.example.com',
    },
  ])('$name -> $keeper', ({ shape, more, keeper }) => {
    expect(kindAndName(shape, more)).toBe(keeper);
  });

  test('migrated -> CSI finalizer holds, the in-tree one is left behind; not migrated -> the reverse', () => {
    const migrated = keeperOf(volume({ source: ebs, annotations: migratedTo('ebs.csi.aws.com') }), options);
    expect(migrated).toMatchObject({ finalizer: csiFinalizer, stale: inTreeFinalizer, canDelete: true });
    const inTree = keeperOf(volume({ source: ebs }), options);
    expect(inTree).toMatchObject({ finalizer: inTreeFinalizer, stale: csiFinalizer, canDelete: false });
  });
});

describe('P3: who can delete', () => {
  test.each([
    { mode: 'reclaim', source: hostPath, canDelete: true },
    { mode: 'guard', source: hostPath, canDelete: false },
    { mode: 'reclaim', source: { hostPath: { path: '/data/v' } }, canDelete: false },
    { mode: 'guard', source: { nfs: { server: 's', path: '/p' } }, canDelete: false },
    { mode: 'guard', source: { csi: { driver: 'csi.example.com', volumeHandle: 'h' } }, canDelete: true },
  ] as const)('mode $mode, $source -> $canDelete', ({ mode, source, canDelete }) => {
    expect(keeperOf(volume({ source }), { ...options, mode })).toMatchObject({ canDelete });
  });
});

describe('hostPath: a second finalizer, where kube-controller-manager removes the first too early', () => {
  const deletesAll = { ...options, canDeleteInTree: () => true };
  test.each([
    { path: '/tmp/hostpath_pv/v', second: hostPathFinalizer },
    { path: '/data/tmp/v', second: hostPathFinalizer },
    { path: '/data/v', second: undefined },
    { path: '/data/tmp', second: undefined },
    { path: '/tmp/hostpath_pv/v', mode: 'guard', second: undefined },
  ] as const)('$path, mode $mode -> $second', ({ path, second, ...more }) => {
    const keeper = keeperOf(volume({ source: { hostPath: { path } } }), { ...deletesAll, ...more });
    expect(keeper).toMatchObject({ finalizer: inTreeFinalizer, second });
  });
});

describe('volume handle of a migrated volume', () => {
  const gce = { gcePersistentDisk: { pdName: 'disk' } };
  const file = { azureFile: { secretName: 'azure-storage-account-acc-secret', shareName: 'share' } };
  test.each<{ name: string; shape: VolumeShape; driver: string; handle: string }>([
    { name: 'EBS', shape: { source: ebs }, driver: 'ebs.csi.aws.com', handle: 'vol-1' },
    {
      name: 'EBS without zone',
      shape: { source: { awsElasticBlockStore: { volumeID: 'aws:///vol-2' } } },
      driver: 'ebs.csi.aws.com',
      handle: 'vol-2',
    },
    {
      name: 'EBS, bare',
      shape: { source: { awsElasticBlockStore: { volumeID: 'vol-3' } } },
      driver: 'ebs.csi.aws.com',
      handle: 'vol-3',
    },
    {
      name: 'GCE PD, zonal',
      shape: { source: gce, labels: { 'topology.kubernetes.io/zone': 'us-central1-a' } },
      driver: 'pd.csi.storage.gke.io',
      handle: 'projects/UNSPECIFIED/zones/us-central1-a/disks/disk',
    },
    {
      name: 'GCE PD, regional',
      shape: {
        source: gce,
        labels: { 'failure-domain.beta.kubernetes.io/zone': 'us-central1-a__us-central1-c' },
      },
      driver: 'pd.csi.storage.gke.io',
      handle: 'projects/UNSPECIFIED/regions/us-central1/disks/disk',
    },
    {
      name: 'GCE PD without label',
      shape: { source: gce },
      driver: 'pd.csi.storage.gke.io',
      handle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk',
    },
    {
      name: 'Azure disk',
      shape: {
        source: { azureDisk: { diskName: 'd', diskURI: '/subscriptions/1/disks/d', kind: 'Managed' } },
      },
      driver: 'disk.csi.azure.com',
      handle: '/subscriptions/1/disks/d',
    },
    {
      name: 'Azure file',
      shape: {
        source: file,
        claimUid: 'c',
        annotations: { 'kubernetes.io/azure-file-resource-group': 'rg' },
      },
      driver: 'file.csi.azure.com',
      handle: 'rg#acc#share#pv#ns',
    },
    {
      name: 'Azure file, secret of another name in another namespace',
      shape: { source: { azureFile: { secretName: 's', secretNamespace: 'x', shareName: 'share' } } },
      driver: 'file.csi.azure.com',
      handle: '#s#share#pv#x',
    },
    {
      name: 'Cinder',
      shape: { source: { cinder: { volumeID: 'id' } } },
      driver: 'cinder.csi.openstack.org',
      handle: 'id',
    },
    {
      name: 'vSphere',
      shape: { source: { vsphereVolume: { volumePath: '[ds] kubevols/v.vmdk' } } },
      driver: 'csi.vsphere.vmware.com',
      handle: '[ds] kubevols/v.vmdk',
    },
    {
      name: 'Portworx',
      shape: { source: { portworxVolume: { volumeID: 'px' } } },
      driver: 'pxd.portworx.com',
      handle: 'px',
    },
  ])('$name -> $handle of $driver', ({ shape, driver, handle }) => {
    expect(translateToCsi(volume(shape))).toEqual({ driver, handle });
  });

  test.each<{ name: string; source: NonNullable<VolumeShape['source']>; labels?: Record<string, string> }>([
    { name: 'EBS volume of another form', source: { awsElasticBlockStore: { volumeID: 'aws://a/b/c' } } },
    {
      name: 'Azure disk that is not managed',
      source: { azureDisk: { diskName: 'd', diskURI: 'u', kind: 'Dedicated' } },
    },
    { name: 'Azure file without namespace', source: { azureFile: { secretName: 's', shareName: 'share' } } },
    {
      name: 'GCE PD in zones of two regions',
      source: { gcePersistentDisk: { pdName: 'disk' } },
      labels: { 'topology.kubernetes.io/zone': 'us-central1-a__us-east1-b' },
    },
    { name: 'plugin that nobody takes over', source: { nfs: { server: 's', path: '/p' } } },
    { name: 'empty handle', source: { cinder: { volumeID: '' } } },
  ])('$name -> says so', ({ source, labels = {} }) => {
    expect(() => translateToCsi(volume({ source, labels }))).toThrow(/^volume pv has no CSI volume handle: /);
  });

  test('plugin without driver -> none', () => {
    expect(driverOfPlugin('kubernetes.io/nfs')).toBeUndefined();
  });
});

test('annotations that are read -> are kept by the cache', () => {
  expect([...keeperAnnotations]).toEqual([
    'pv.kubernetes.io/provisioned-by',
    'pv.kubernetes.io/migrated-to',
    heldByAnnotation,
  ]);
});

describe('what a keeper knows of finalizers', () => {
  const away = { csi: { driver: 'x.example.com', volumeHandle: 'h' } };
  test.each([
    { hasSockets: true, endsAll: false },
    { hasSockets: false, endsAll: true },
  ])(
    'driver is away, sockets here: $hasSockets -> all that is ours ends: $endsAll',
    ({ hasSockets, endsAll }) => {
      const given = volume({
        source: away,
        finalizers: ['example.com/own'],
        annotations: recorded('example.com/own'),
      });
      expect(keeperOf(given, { ...options, hasSockets })).toEqual({
        kind: 'away',
        name: 'x.example.com',
        csiFinalizer,
        endsAll,
      });
    },
  );

  test("recorded as held, and the finalizer is not there any more -> a keeper's that is away", () => {
    expect(keeperOf(volume({ source: away, annotations: recorded('example.com/own') }), options).kind).toBe(
      'away',
    );
  });

  test.each<{ name: string; shape: VolumeShape; more?: Partial<KeeperOptions>; keeper: string }>([
    {
      name: 'host path that we can delete, held by us',
      shape: { source: hostPath, finalizers: [inTreeFinalizer] },
      keeper: 'inTree kubernetes.io/host-path',
    },
    {
      name: "host path elsewhere, held by us: it might be another process's",
      shape: { source: { hostPath: { path: '/srv/v' } }, finalizers: [inTreeFinalizer] },
      keeper: 'away kubernetes.io/host-path',
    },
    {
      name: 'another in-tree source, held by us',
      shape: { source: { nfs: { server: 's', path: '/' } }, finalizers: [inTreeFinalizer] },
      keeper: 'inTree kubernetes.io/nfs',
    },
    {
      name: 'in-tree source that no driver takes over, migrated nevertheless',
      shape: { source: hostPath, annotations: migratedTo('csi.example.com') },
      keeper: 'foreign',
    },
  ])('$name -> $keeper', ({ shape, more, keeper }) => {
    expect(kindAndName(shape, more)).toBe(keeper);
  });

  test.each([
    { name: 'no driver could take it over', source: hostPath, stale: undefined },
    { name: 'a driver could have', source: ebs, stale: csiFinalizer },
  ])('in-tree volume, $name -> stale: $stale', ({ source, stale }) => {
    expect(keeperOf(volume({ source }), options)).toMatchObject({
      kind: 'inTree',
      finalizer: inTreeFinalizer,
    });
    expect((keeperOf(volume({ source }), options) as { stale?: string }).stale).toBe(stale);
  });
});
