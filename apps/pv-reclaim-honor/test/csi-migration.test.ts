import { expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { csiVolumeOf, gceHandle, migratablePlugins, translateToCsi } from '../src/csi-migration.ts';
import { volume, type VolumeShape } from './objects.ts';

/* By the handle the driver deletes: one that is guessed at is another volume's. */

const zone = 'topology.kubernetes.io/zone';
const ebs = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } });
const gce = { gcePersistentDisk: { pdName: 'disk' } };

test.each([
  ['aws://us-east-1a/vol-12/', 'vol-12'],
  ['aws:////vol-12', 'vol-12'],
  ['vol-12', 'vol-12'],
  ['aws://us-east-1a/vol%2D12', 'vol-12'],
  ['aws:///vol-12?device=xvdba', 'vol-12'],
  ['aws:///vol-12#data', 'vol-12'],
  ['an-aws://us-east-1a/vol-12', 'an-aws://us-east-1a/vol-12'],
])('EBS volume %s -> %s', (volumeID, handle) => {
  expect(translateToCsi(volume({ source: ebs(volumeID) })).handle).toBe(handle);
});

test.each<{ name: string; shape: VolumeShape; why: string }>([
  {
    name: 'EBS volume with something behind it',
    shape: { source: ebs('aws://us-east-1a/vol-1/b') },
    why: '"aws://us-east-1a/vol-1/b" is not of the form "aws://ZONE/vol-ID"',
  },
  {
    name: 'EBS volume with another before it',
    shape: { source: ebs('aws://us-east-1a/aws://us-east-1a/vol-1') },
    why: '"aws://us-east-1a/aws://us-east-1a/vol-1" is not of the form "aws://ZONE/vol-ID"',
  },
  {
    name: 'EBS volume with an escape that is none',
    shape: { source: ebs('aws://us-east-1a/vol-1%zz') },
    why: '"aws://us-east-1a/vol-1%zz" is not of the form "aws://ZONE/vol-ID"',
  },
  {
    name: 'EBS volume with an escaped slash in it',
    shape: { source: ebs('aws://us-east-1a/vol-1%2Fb') },
    why: '"aws://us-east-1a/vol-1%2Fb" is not of the form "aws://ZONE/vol-ID"',
  },
  {
    name: 'GCE disk in a zone, and in one of the same region without a last part',
    shape: { source: gce, labels: { [zone]: 'us-central1-a__us-central1-' } },
    why: 'zones "us-central1-a__us-central1-" are not of one region',
  },
  {
    name: 'GCE disk in zones of two regions',
    shape: { source: gce, labels: { [zone]: 'us-central1-a__us-east1-b' } },
    why: 'zones "us-central1-a__us-east1-b" are not of one region',
  },
  {
    name: 'GCE disk in a zone, and in what is none',
    shape: { source: gce, labels: { [zone]: 'us-central1-a__us-central1' } },
    why: 'zones "us-central1-a__us-central1" are not of one region',
  },
  {
    name: 'GCE disk in two that have one beginning, and are no zones',
    shape: { source: gce, labels: { [zone]: 'europe-a__europe-b' } },
    why: 'zones "europe-a__europe-b" are not of one region',
  },
  {
    name: 'GCE disk in a zone and one of four parts',
    shape: { source: gce, labels: { [zone]: 'us-central1-a-b__us-central1-a-c' } },
    why: 'zones "us-central1-a-b__us-central1-a-c" are not of one region',
  },
  {
    name: 'GCE disk in zones of three parts, one of them empty',
    shape: { source: gce, labels: { [zone]: '-us-a__-us-b' } },
    why: 'zones "-us-a__-us-b" are not of one region',
  },
  {
    name: 'GCE disk without a name',
    shape: { source: { gcePersistentDisk: { pdName: '' } } },
    why: 'its source names no volume',
  },
  {
    name: 'Azure disk that is not managed',
    shape: { source: { azureDisk: { diskName: 'd', diskURI: 'u', kind: 'Dedicated' } } },
    why: 'a disk of kind "Dedicated" can\'t be migrated, only a managed one',
  },
  {
    name: 'Azure share without a namespace',
    shape: { source: { azureFile: { secretName: 's', shareName: 'share' } } },
    why: 'neither its source nor its claimRef names the namespace of its secret',
  },
  {
    name: 'plugin that no driver takes over',
    shape: { source: { nfs: { server: 's', path: '/' } } },
    why: `no CSI driver takes over kubernetes.io/nfs; those that can be migrated are ${migratablePlugins.join(', ')}`,
  },
  {
    name: 'source that is not known',
    shape: { source: {} },
    why: `no CSI driver takes over its source; those that can be migrated are ${migratablePlugins.join(', ')}`,
  },
])('$name -> no handle, and why', ({ shape, why }) => {
  expect(() => translateToCsi(volume(shape))).toThrow(
    new Error(`volume pv has no CSI volume handle: ${why}`),
  );
});

test('zones whose last part is long -> one region', () => {
  const labels = { [zone]: 'us-central1-ab__us-central1-cd' };
  expect(gceHandle(volume({ source: gce, labels }))).toBe(
    'projects/UNSPECIFIED/regions/us-central1/disks/disk',
  );
});

test('volume of another kind -> no GCE disk', () => {
  expect(gceHandle(volume())).toBe('');
});

test('in-tree plugins that can be migrated -> those that a driver takes over', () => {
  expect(migratablePlugins).toEqual(
    ['aws-ebs', 'gce-pd', 'azure-disk', 'azure-file', 'cinder', 'vsphere-volume', 'portworx-volume'].map(
      (name) => `kubernetes.io/${name}`,
    ),
  );
});

test('CSI source -> as it is; migrated source -> as its driver knows it', () => {
  expect(csiVolumeOf(volume())).toEqual({ driver: 'csi.example.com', handle: 'handle' });
  expect(csiVolumeOf(volume({ source: ebs('vol-12') }))).toEqual({
    driver: 'ebs.csi.aws.com',
    handle: 'vol-12',
  });
  const bare: PersistentVolume = { metadata: volume().metadata };
  expect(() => csiVolumeOf(bare)).toThrow('no CSI driver takes over its source');
});
