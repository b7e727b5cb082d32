import type { PersistentVolume } from '@holdfast/core';

type Spec = NonNullable<PersistentVolume['spec']>;

/** The fields of a volume's spec that name its in-tree plugin, with the name of that plugin. */
export const plugins = {
  awsElasticBlockStore: 'kubernetes.io/aws-ebs',
  azureDisk: 'kubernetes.io/azure-disk',
  azureFile: 'kubernetes.io/azure-file',
  cephfs: 'kubernetes.io/cephfs',
  cinder: 'kubernetes.io/cinder',
  fc: 'kubernetes.io/fc',
  flocker: 'kubernetes.io/flocker',
  gcePersistentDisk: 'kubernetes.io/gce-pd',
  glusterfs: 'kubernetes.io/glusterfs',
  hostPath: 'kubernetes.io/host-path',
  iscsi: 'kubernetes.io/iscsi',
  local: 'kubernetes.io/local-volume',
  nfs: 'kubernetes.io/nfs',
  photonPersistentDisk: 'kubernetes.io/photon-pd',
  portworxVolume: 'kubernetes.io/portworx-volume',
  quobyte: 'kubernetes.io/quobyte',
  rbd: 'kubernetes.io/rbd',
  scaleIO: 'kubernetes.io/scaleio',
  storageos: 'kubernetes.io/storageos',
  vsphereVolume: 'kubernetes.io/vsphere-volume',
} as const satisfies Partial<Record<keyof Spec, string>>;

/**
 * Returns the name of the in-tree plugin of the volume's source; undefined for a CSI volume and for an
 * unknown source.
 */
export function inTreePluginOf(volume: PersistentVolume): string | undefined {
  const { spec } = volume;
  const field = (Object.keys(plugins) as (keyof typeof plugins)[]).find((key) => spec?.[key] !== undefined);
  return field === undefined ? undefined : plugins[field];
}
