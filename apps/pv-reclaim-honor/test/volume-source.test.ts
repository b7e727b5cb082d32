import { expect, test } from '@jest/globals';
import { inTreePluginOf } from '../src/volume-source.ts';
import { volume } from './objects.ts';

// The names are upstream's: annotations have them, and flags take them.
test.each([
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cephfs', 'kubernetes.io/cephfs'],
  ['cinder', 'kubernetes.io/cinder'],
  ['fc', 'kubernetes.io/fc'],
  ['flocker', 'kubernetes.io/flocker'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['glusterfs', 'kubernetes.io/glusterfs'],
  ['hostPath', 'kubernetes.io/host-path'],
  ['iscsi', 'kubernetes.io/iscsi'],
  ['local', 'kubernetes.io/local-volume'],
  ['nfs', 'kubernetes.io/nfs'],
  ['photonPersistentDisk', 'kubernetes.io/photon-pd'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
  ['quobyte', 'kubernetes.io/quobyte'],
  ['rbd', 'kubernetes.io/rbd'],
  ['scaleIO', 'kubernetes.io/scaleio'],
  ['storageos', 'kubernetes.io/storageos'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
  ['csi', undefined],
  ['somethingNew', undefined],
])('source %s -> plugin %s', (field, plugin) => {
  expect(inTreePluginOf(volume({ source: { [field]: {} } }))).toBe(plugin);
});

test('volume without a spec -> no plugin', () => {
  const { metadata } = volume();
  expect(inTreePluginOf({ metadata })).toBeUndefined();
});
