import { describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { translateToCsi } from '../src/csi-migration.ts';
import { slimClaim, slimVolume, slimVolumeAttachment } from '../src/slim.ts';
import { storageIdentityOf } from '../src/storage-identity.ts';
import { inTreePluginOf, plugins } from '../src/volume-source.ts';

test.each(Object.entries({ slimClaim, slimVolume, slimVolumeAttachment }))(
  '%s -> known in protobuf, so that it is not asked for in JSON',
  (_name, projection) => expect(projection.fromProtobuf).toBeDefined(),
);

const volume = (spec: object, annotations: Readonly<Record<string, string>> = {}): PersistentVolume => ({
  metadata: {
    name: 'v',
    uid: '1',
    resourceVersion: '2',
    labels: { 'topology.kubernetes.io/zone': 'a-b-c', app: 'shop' },
    annotations,
  },
  spec,
});

test.each(Object.entries(plugins))('volume with source %s -> still of plugin %s', (source, plugin) => {
  expect(inTreePluginOf(slimVolume.fromJson(volume({ [source]: { fsType: 'ext4' } })))).toBe(plugin);
});

describe('what makes the handle of a migrated volume', () => {
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'c', uid: '3' };
  test.each([
    volume({ awsElasticBlockStore: { volumeID: 'aws://z/vol-1', fsType: 'ext4' } }),
    volume({ gcePersistentDisk: { pdName: 'd', partition: 1 } }),
    volume({ azureDisk: { diskURI: '/d', diskName: 'd', kind: 'Managed', cachingMode: 'None' } }),
    volume(
      { azureFile: { secretName: 'azure-storage-account-x-secret', shareName: 's' }, claimRef },
      { 'kubernetes.io/azure-file-resource-group': 'g' },
    ),
    volume({ azureFile: { secretName: 's', secretNamespace: 'n', shareName: 's' } }),
    volume({ cinder: { volumeID: 'v' } }),
    volume({ vsphereVolume: { volumePath: '[d] v.vmdk' } }),
    volume({ portworxVolume: { volumeID: 'v' } }),
  ])('$spec -> is kept', (whole) => {
    expect(translateToCsi(slimVolume.fromJson(whole))).toEqual(translateToCsi(whole));
  });
});

test.each([
  { shareName: 's', storageAccount: 'x' },
  { sharename: 's', storageaccount: 'x' },
  { ShareName: 's', StorageAccount: 'x' },
  { SHARENAME: 's' },
  { storageACCOUNT: 'x' },
  { SecretName: 'x' },
  { Server: 'files.example.com' },
])('Azure file with attributes %j -> has the same storage in the cache', (volumeAttributes) => {
  const whole = volume({
    csi: { driver: 'file.csi.azure.com', volumeHandle: 'group#y#t', volumeAttributes },
    persistentVolumeReclaimPolicy: 'Retain',
  });
  expect(storageIdentityOf(slimVolume.fromJson(whole))).toEqual(storageIdentityOf(whole));
});

test('volume that ceph-csi has made -> its attributes and Secret, which do not identify it, are not kept', () => {
  const csi = { driver: 'rbd.csi.ceph.com', volumeHandle: 'H' };
  const whole = volume({
    csi: { ...csi, volumeAttributes: { pool: 'p' }, nodeStageSecretRef: { name: 's', namespace: 'n' } },
  });
  expect(slimVolume.fromJson(whole).spec?.csi).toEqual(csi);
});
