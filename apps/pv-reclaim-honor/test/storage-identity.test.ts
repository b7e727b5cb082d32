import { describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { slimVolume } from '../src/slim.ts';
import {
  csiIdentityOf,
  csiStorageOf,
  nfsFolderOf,
  storageAttributesOf,
  storageIdentityOf,
  storagesOverlap,
  volumesOverlap,
} from '../src/storage-identity.ts';
import { volume } from './objects.ts';

type Source = Partial<NonNullable<PersistentVolume['spec']>>;

const hostPath = (path: string): Source => ({ hostPath: { path } });
const local = (path: string): Source => ({ local: { path } });
const nfs = (server: string, path: string): Source => ({ nfs: { server, path } });
const csi = (driver: string, volumeHandle: string): Source => ({ csi: { driver, volumeHandle } });
const ebs = (volumeID: string): Source => ({ awsElasticBlockStore: { volumeID } });
const gce = (pdName: string): Source => ({ gcePersistentDisk: { pdName } });
const gceCsi = (handle: string): Source => csi('pd.csi.storage.gke.io', handle);
const azureCsi = (volumeHandle: string, volumeAttributes: Readonly<Record<string, string>> = {}): Source => ({
  csi: { driver: 'file.csi.azure.com', volumeHandle, volumeAttributes },
});
/** The driver reads its account from that Secret. */
const azureBySecret = (volumeHandle: string, name: string): Source => ({
  csi: {
    driver: 'file.csi.azure.com',
    volumeHandle,
    volumeAttributes: { storageAccount: 'z' },
    nodeStageSecretRef: { name, namespace: 'default' },
  },
});
const nfsDriver = 'nfs.csi.k8s.io';
const nfsCsi = (volumeHandle: string, volumeAttributes: Readonly<Record<string, string>> = {}): Source => ({
  csi: { driver: nfsDriver, volumeHandle, volumeAttributes },
});
const blobCsi = (
  volumeHandle: string,
  volumeAttributes: Readonly<Record<string, string>> = {},
  secret?: string,
): Source => ({
  csi: {
    driver: 'blob.csi.azure.com',
    volumeHandle,
    volumeAttributes,
    ...(secret === undefined ? {} : { nodeStageSecretRef: { name: secret, namespace: 'default' } }),
  },
});
const smbCsi = (volumeHandle: string, volumeAttributes: Readonly<Record<string, string>> = {}): Source => ({
  csi: { driver: 'smb.csi.k8s.io', volumeHandle, volumeAttributes },
});
const share = (digit: number): string => `9d0f6a52-3c4d-4c0e-8a51-7b2f0c4de11${String(digit)}`;
const manilaCsi = (volumeHandle: string, shareID: string): Source => ({
  csi: { driver: 'nfs.manila.csi.openstack.org', volumeHandle, volumeAttributes: { shareID } },
});
const filestore = (handle: string): Source => csi('filestore.csi.storage.gke.io', handle);
const ociFss = (handle: string): Source => csi('fss.csi.oraclecloud.com', handle);
const linode = (handle: string): Source => csi('linodebs.csi.linode.com', handle);
const cephFs = 'rook-ceph.cephfs.csi.ceph.com';
const cephUuid = (digit: number): string => `8a528de0-e274-11ec-b069-0a580a80021${String(digit)}`;
const cephHandle = (digit: number): string => `0001-0009-rook-ceph-0000000000000001-${cephUuid(digit)}`;
const cephCsi = (volumeHandle: string, rootPath: string): Source => ({
  csi: { driver: cephFs, volumeHandle, volumeAttributes: { staticVolume: 'true', rootPath } },
});
const cephNfs = (volumeHandle: string, share: string): Source => ({
  csi: { driver: 'rook-ceph.nfs.csi.ceph.com', volumeHandle, volumeAttributes: { server: 'n', share } },
});
const vsphere = (volumePath: string): Source => ({ vsphereVolume: { volumePath } });
const azureFile = (secretName: string, shareName: string): Source => ({
  azureFile: { secretName, shareName },
});
const azureDisk = (diskURI: string): Source => ({ azureDisk: { diskURI, diskName: 'd', kind: 'Managed' } });

interface Shape {
  readonly source: Source;
  readonly zone?: string;
  readonly policy?: 'Delete' | 'Retain';
  readonly annotations?: Readonly<Record<string, string>>;
}

const identityOf = ({ source, zone, policy = 'Delete', annotations = {} }: Shape, name: string) => {
  const whole = volume({
    name,
    source,
    policy,
    annotations,
    ...(zone === undefined ? {} : { labels: { 'topology.kubernetes.io/zone': zone } }),
  });
  // What the cache keeps of a volume must be enough to know its storage.
  expect(storageIdentityOf(slimVolume.fromJson(whole))).toEqual(storageIdentityOf(whole));
  return storageIdentityOf(whole);
};

function overlap(one: Shape, other: Shape): boolean {
  const [a, b] = [identityOf(one, 'one'), identityOf(other, 'other')];
  if (a === undefined || b === undefined) {
    return false;
  }
  expect(storagesOverlap(b, a)).toBe(storagesOverlap(a, b));
  return storagesOverlap(a, b);
}

describe('P1: storages that overlap', () => {
  test.each<{ what: string; one: Shape; other: Shape }>([
    { what: 'equal paths', one: { source: hostPath('/r/a') }, other: { source: hostPath('/r/a') } },
    { what: 'a slash too many', one: { source: hostPath('/r//a') }, other: { source: hostPath('/r/a') } },
    { what: 'a slash at the end', one: { source: hostPath('/r/a/') }, other: { source: hostPath('/r/a') } },
    { what: '"." on the way', one: { source: hostPath('/r/./a') }, other: { source: hostPath('/r/a') } },
    { what: '"." at the end', one: { source: hostPath('/r/a/.') }, other: { source: hostPath('/r/a') } },
    { what: '".."', one: { source: hostPath('/r/b/../a') }, other: { source: hostPath('/r/a') } },
    { what: '".." above "/"', one: { source: hostPath('/../r/a') }, other: { source: hostPath('/r/a') } },
    {
      what: 'a folder and one within',
      one: { source: hostPath('/r') },
      other: { source: hostPath('/r/a/b') },
    },
    { what: '"/" and any folder', one: { source: hostPath('/') }, other: { source: hostPath('/r/a') } },
    { what: 'hostPath and local', one: { source: hostPath('/r/a/') }, other: { source: local('/r/./a') } },
    { what: 'local within hostPath', one: { source: hostPath('/r') }, other: { source: local('/r/a') } },
    { what: 'one NFS folder', one: { source: nfs('s', '/p/') }, other: { source: nfs('s', '/p') } },
    { what: 'NFS folders that nest', one: { source: nfs('s', '/') }, other: { source: nfs('s', '/p/q') } },
    {
      what: 'an NFS server in capitals',
      one: { source: nfs('S.Org', '/p') },
      other: { source: nfs('s.org', '/p') },
    },
    {
      what: 'an IPv6 address of an NFS server in brackets',
      one: { source: nfs('FD00::1', '/p') },
      other: { source: nfs('[fd00::1]', '/p') },
    },
    {
      what: 'one NFS folder of two volumes of its driver, whose handles differ',
      one: { source: nfsCsi('nas#export#team/data#pvc-1#') },
      other: {
        source: nfsCsi('nas#export#team/data#pvc-2#', {
          server: 'NAS',
          share: '/export',
          subDir: 'team/data',
        }),
        policy: 'Retain',
      },
    },
    {
      what: 'an NFS folder by handles of an older and a newer release of its driver',
      one: { source: nfsCsi('nas/export/a/pvc-1') },
      other: { source: nfsCsi('nas#export/a#pvc-1##') },
    },
    {
      what: 'a folder of the NFS driver, and nfs around it',
      one: { source: nfsCsi('nas#export#pvc-1##') },
      other: { source: nfs('nas', '/export') },
    },
    {
      what: 'a folder that the NFS driver deletes, and a volume made by hand over it',
      one: { source: nfsCsi('nas#export#pvc-1##') },
      other: { source: nfsCsi('by-hand', { server: 'nas', share: '/export/pvc-1' }) },
    },
    {
      what: 'a share of which the NFS driver mounts a folder and deletes all, and another folder of it',
      one: { source: nfsCsi('nas#export###', { server: 'nas', share: '/export', subdir: 'a' }) },
      other: { source: nfs('nas', '/export/b') },
    },
    {
      what: 'what the NFS driver mounts from one server and deletes from another, and a third',
      one: { source: nfsCsi('nas2#export#a##', { server: 'nas', share: '/export', subdir: 'a' }) },
      other: { source: nfsCsi('nas3#export#b##') },
    },
    {
      what: 'a folder of an NFS share that only a template names, and another of that share',
      one: {
        source: nfsCsi('by-hand', { server: 'nas', share: '/export', subdir: '${pvc.metadata.name}' }),
      },
      other: { source: nfsCsi('nas#export#b##') },
    },
    {
      what: 'one container of Azure blobs of two volumes, whose handles differ',
      one: { source: blobCsi('group#x#c#pvc-1##') },
      other: { source: blobCsi('group#x#c#pvc-2##', { containerName: 'c' }) },
    },
    {
      what: 'a container of Azure blobs, and a volume made by hand over it',
      one: { source: blobCsi('group#x#c#pvc-1##') },
      other: {
        source: blobCsi('by-hand', { containerName: 'c', storageAccountName: 'X' }),
        policy: 'Retain',
      },
    },
    {
      what: 'a container of Azure blobs whose account a Secret names, and that of the account',
      one: { source: blobCsi('group#x#c#pvc-1##') },
      other: { source: blobCsi('group#y#c', {}, 'azure-storage-account-x-secret'), policy: 'Retain' },
    },
    {
      what: 'one SMB folder of two volumes of its driver, whose handles differ',
      one: { source: smbCsi('nas/share#team#pvc-1#') },
      other: {
        source: smbCsi('nas/share#team#pvc-2#', { source: '//NAS/Share', subDir: 'team' }),
        policy: 'Retain',
      },
    },
    {
      what: 'a folder that the SMB driver deletes, and a volume made by hand around it',
      one: { source: smbCsi('nas/share#pvc-1##') },
      other: { source: smbCsi('by-hand', { source: '\\\\nas\\share' }) },
    },
    {
      what: 'one SMB folder, in letters with two small forms',
      one: { source: smbCsi('by-hand', { source: '//nas/share', subdir: 'ΟΔΟΣ' }) },
      other: { source: smbCsi('by-hand-2', { source: '//nas/share', subdir: 'οδοσ' }) },
    },
    {
      what: 'what the SMB driver mounts from one server and deletes from another, and a third',
      one: { source: smbCsi('nas2/share#a##', { source: '//nas/share', subdir: 'a' }) },
      other: { source: smbCsi('nas3/share#b##') },
    },
    { what: 'one CSI handle', one: { source: csi('d', 'h') }, other: { source: csi('d', 'h') } },
    {
      what: 'EBS',
      one: { source: ebs('aws://z/vol-1') },
      other: { source: csi('ebs.csi.aws.com', 'vol-1') },
    },
    {
      what: 'EBS of the two drivers for it',
      one: { source: csi('ebs.csi.aws.com', 'vol-1') },
      other: { source: csi('ebs.csi.eks.amazonaws.com', 'vol-1'), policy: 'Retain' },
    },
    {
      what: 'an EFS access point, as a whole and a folder of it',
      one: { source: csi('efs.csi.aws.com', 'fs-1::fsap-1') },
      other: { source: csi('efs.csi.aws.com', 'fs-1:/data:fsap-1'), policy: 'Retain' },
    },
    {
      what: 'a CephFS subvolume, and its copy for another namespace',
      one: { source: csi(cephFs, cephHandle(1)) },
      other: {
        source: cephCsi(`${cephHandle(1)}-shop`, `/volumes/csi/csi-vol-${cephUuid(1)}/${cephUuid(9)}`),
        policy: 'Retain',
      },
    },
    {
      what: 'two copies of a CephFS subvolume',
      one: { source: cephCsi('a', `/volumes/csi/csi-vol-${cephUuid(1)}/${cephUuid(9)}`) },
      other: { source: cephCsi(cephUuid(3), `/volumes/csi/csi-vol-${cephUuid(1)}`), policy: 'Retain' },
    },
    {
      what: 'an RBD image, and by its name',
      one: { source: csi('rbd.csi.ceph.com', cephHandle(1)) },
      other: { source: csi('rbd.csi.ceph.com', `csi-vol-${cephUuid(1)}`), policy: 'Retain' },
    },
    {
      what: 'a CephFS subvolume in a group with a UUID in its name, and its copy',
      one: { source: csi(cephFs, cephHandle(1)) },
      other: {
        source: cephCsi('a', `/volumes/${cephUuid(7)}/csi-vol-${cephUuid(1)}/${cephUuid(9)}`),
        policy: 'Retain',
      },
    },
    {
      what: 'a CephFS subvolume, and its copy by a handle that is invalid for its length',
      one: { source: csi(cephFs, cephHandle(1)) },
      other: {
        source: cephCsi(
          `0001-0009-rook-ceph-copy-0000000000000001-${cephUuid(2)}`,
          `/volumes/csi/csi-vol-${cephUuid(1)}`,
        ),
        policy: 'Retain',
      },
    },
    {
      what: 'an RBD image by the handle of a migrated volume, and by its name',
      one: {
        source: csi(
          'rbd.csi.ceph.com',
          `mig_mons-b7f67366bb43f32e07d8a261a7840da9_image-kubernetes-dynamic-pvc-${cephUuid(1)}_706f6f6c`,
        ),
      },
      other: {
        source: csi('rbd.csi.ceph.com', `kubernetes-dynamic-pvc-${cephUuid(1)}`),
        policy: 'Retain',
      },
    },
    {
      what: 'an NFS export of Ceph, and its copy',
      one: { source: cephNfs(cephHandle(1), `/${cephHandle(1)}`) },
      other: { source: cephNfs('a', `/${cephHandle(1)}`), policy: 'Retain' },
    },
    {
      what: 'a Manila share, and the same by its attribute',
      one: { source: manilaCsi(share(1), share(1)) },
      other: { source: manilaCsi('preprovisioned-share', share(1).toUpperCase()), policy: 'Retain' },
    },
    {
      what: 'a Manila share by its handle alone, and the same by its attribute',
      one: { source: csi('nfs.manila.csi.openstack.org', share(1)) },
      other: { source: manilaCsi(share(2), share(1)), policy: 'Retain' },
    },
    {
      what: 'a Manila volume that mounts one share and would have another deleted, and the latter',
      one: { source: manilaCsi(share(2), share(1)) },
      other: { source: manilaCsi('a', share(2)), policy: 'Retain' },
    },
    {
      what: 'a Filestore instance under two names of its share',
      one: { source: filestore('modeInstance/us-central1-c/nfs/vol1') },
      other: { source: filestore('modeInstance/us-central1-c/nfs/data'), policy: 'Retain' },
    },
    {
      what: 'a Filestore instance, and a share of it',
      one: { source: filestore('modeInstance/us-central1/nfs/vol1') },
      other: { source: filestore('modeMultishare/fast/project/us-central1/nfs/share'), policy: 'Retain' },
    },
    {
      what: 'a share of a Filestore instance under two prefixes',
      one: { source: filestore('modeMultishare/fast/project/us-central1/nfs/share') },
      other: { source: filestore('modeMultishare/slow/project/us-central1/nfs/share'), policy: 'Retain' },
    },
    {
      what: 'a file system of Oracle by two mount targets',
      one: { source: ociFss('ocid1.filesystem.oc1.phx.a:10.0.0.1:/pvc-1') },
      other: { source: ociFss('ocid1.filesystem.oc1.phx.a:[fd00::9]:/shared'), policy: 'Retain' },
    },
    {
      what: 'a volume of Linode under two labels',
      one: { source: linode('516140-pvc1fd49bd0e2d24d') },
      other: { source: linode('516140-data'), policy: 'Retain' },
    },
    {
      what: 'EBS by an address with an escape',
      one: { source: ebs('aws://z/vol%2D1'), policy: 'Retain' },
      other: { source: csi('ebs.csi.aws.com', 'vol-1') },
    },
    {
      what: 'a GCE disk, in-tree and CSI with its project',
      one: { source: gce('d'), zone: 'a-b-c' },
      other: { source: gceCsi('projects/p/zones/a-b-c/disks/d') },
    },
    {
      what: 'a GCE disk of a zone that is not known',
      one: { source: gce('d') },
      other: { source: gceCsi('projects/p/zones/a-b-c/disks/d') },
    },
    {
      what: 'a GCE disk whose zones are of no region',
      one: { source: gce('d'), zone: 'a-b-c__x-y-z' },
      other: { source: gceCsi('projects/p/zones/a-b-c/disks/d') },
    },
    {
      what: 'a regional GCE disk',
      one: { source: gce('d'), zone: 'a-b-c__a-b-d' },
      other: { source: gceCsi('projects/p/regions/a-b/disks/d') },
    },
    {
      what: 'X1: a GCE disk in all zones, and that in one of them',
      one: { source: gceCsi('projects/p/zones/multi-zone/disks/d') },
      other: { source: gceCsi('projects/p/zones/a-b-c/disks/d') },
    },
    {
      what: 'X1: a GCE disk in all zones, and in-tree in one of them',
      one: { source: gceCsi('projects/p/zones/multi-zone/disks/d') },
      other: { source: gce('d'), zone: 'a-b-c' },
    },
    {
      what: 'X1: a GCE disk by words that the driver does not look at',
      one: { source: gceCsi('project/p/zones/a-b-c/disk/d') },
      other: { source: gceCsi('projects/p/zones/a-b-c/disks/d') },
    },
    {
      what: 'an Azure disk in other letters',
      one: { source: azureDisk('/subscriptions/1/resourceGroups/G/disks/d') },
      other: { source: csi('disk.csi.azure.com', '/subscriptions/1/resourcegroups/g/disks/d') },
    },
    {
      what: 'two in-tree volumes of one Azure share, without a namespace',
      one: { source: azureFile('azure-storage-account-x-secret', 's') },
      other: { source: azureFile('azure-storage-account-x-secret', 's') },
    },
    {
      what: 'an Azure share, in-tree and CSI',
      one: { source: azureFile('azure-storage-account-x-secret', 's') },
      other: { source: csi('file.csi.azure.com', 'group#x#s#anything') },
    },
    {
      what: 'X1: an Azure share by its handle, and by the attributes that the driver goes by',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('x_s', { storageAccount: 'X', shareName: 'S' }) },
    },
    {
      what: 'X1: an Azure share in-tree, and by attributes',
      one: { source: azureFile('azure-storage-account-x-secret', 's') },
      other: { source: azureCsi('unique', { storageAccount: 'x', shareName: 's' }) },
    },
    {
      what: 'X1: an Azure share, and one of its name whose account is in a Secret',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('unique', { shareName: 's' }) },
    },
    {
      what: 'X1: an Azure share, and one whose attributes name it, and its handle another',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('group#x#t', { shareName: 's' }) },
    },
    {
      what: 'X1: an Azure share, and one whose handle names it, and its attributes another',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('group#x#s', { shareName: 't' }) },
    },
    {
      what: 'X1: an Azure share, and one that is retained, whose attributes name it, and its handle another',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('group#x#t', { shareName: 's' }), policy: 'Retain' },
    },
    {
      what: 'X1: an Azure share, and one that is retained but for its annotation, whose handle names it, and its attributes another',
      one: { source: azureCsi('group#x#s#anything') },
      other: {
        source: azureCsi('group#x#s', { shareName: 't' }),
        policy: 'Retain',
        annotations: { 'holdfast.dev/reclaim-policy': 'Delete' },
      },
    },
    {
      what: 'an Azure share, and one whose account is in a Secret, whatever its handle and attributes say',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureBySecret('group#y#s', 'azure-secret'), policy: 'Retain' },
    },
    {
      what: 'an Azure share, and one whose Secret is named after its account, whatever its handle and attributes say',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureBySecret('group#y#s', 'azure-storage-account-x-secret'), policy: 'Retain' },
    },
    {
      what: 'an Azure share, and one whose attributes name a Secret with its account',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('group#y#s', { storageAccount: 'y', SecretName: 'azure-secret' }) },
    },
    {
      what: 'an Azure share, and one whose attributes name a server, which might be of any account',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureCsi('group#y#s', { storageAccount: 'y', server: 'files.example.com' }) },
    },
    {
      what: 'an Azure share, and one of its name in-tree, whose account is in a Secret of any name',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureFile('azure-secret', 's'), policy: 'Retain' },
    },
    {
      what: 'two in-tree volumes of Azure shares of one name, whose accounts are in two Secrets',
      one: { source: azureFile('azure-secret', 's') },
      other: { source: azureFile('azure-storage-account-x-secret', 's') },
    },
    {
      what: 'an Azure share, and one of its name in-tree, with a longer name than a Secret can have',
      one: { source: azureCsi('group#x#s#anything') },
      other: {
        source: azureFile(`azure-storage-account-${'y'.repeat(240)}-secret`, 's'),
        policy: 'Retain',
      },
    },
    {
      what: 'an Azure share, and a folder of it in-tree',
      one: { source: azureCsi('group#x#s#anything') },
      other: { source: azureFile('azure-storage-account-x-secret', 's/team'), policy: 'Retain' },
    },
    {
      what: 'an Azure share, and a folder of it by attributes',
      one: { source: azureCsi('group#x#s#anything') },
      other: {
        source: azureCsi('unique', { storageAccount: 'x', shareName: '/S/team/db' }),
        policy: 'Retain',
      },
    },
    {
      what: 'a disk of vSphere with its extension, and without',
      one: { source: vsphere('[fast] volumes/db.vmdk') },
      other: { source: vsphere('[fast] volumes/db'), policy: 'Retain' },
    },
    {
      what: 'a disk of vSphere, and the same with the cluster of its datastore',
      one: { source: vsphere('[fast] volumes/db.vmdk') },
      other: { source: vsphere('[flash/fast]  /volumes//db.VMDK'), policy: 'Retain' },
    },
    {
      what: 'a disk of vSphere by a handle that is its path',
      one: { source: csi('csi.vsphere.vmware.com', '[fast] volumes/db.vmdk') },
      other: { source: vsphere('[fast] volumes/db'), policy: 'Retain' },
    },
    {
      what: 'X1: an Azure share by its handle, and the same made from a template',
      one: { source: azureCsi('group#x#s#a') },
      other: { source: azureCsi('group#x#s#b', { shareName: '${pvc.metadata.name}' }) },
    },
  ])('$what', ({ one, other }) => {
    expect(overlap(one, other)).toBe(true);
  });
});

describe('P1: storages that do not overlap', () => {
  test.each<{ what: string; one: Shape; other: Shape }>([
    {
      what: 'two CephFS subvolumes',
      one: { source: csi(cephFs, cephHandle(1)) },
      other: { source: csi(cephFs, cephHandle(2)) },
    },
    {
      what: 'a CephFS subvolume with an attribute that the driver does not read then, and another one',
      one: { source: cephCsi(cephHandle(1), `/volumes/csi/csi-vol-${cephUuid(2)}`) },
      other: { source: csi(cephFs, cephHandle(2)) },
    },
    {
      what: 'two CephFS volumes that a user made in a group with a UUID in its name',
      one: { source: cephCsi('a', `/volumes/${cephUuid(7)}/a`) },
      other: { source: cephCsi('b', `/volumes/${cephUuid(7)}/b`) },
    },
    {
      what: 'two NFS exports of Ceph',
      one: { source: cephNfs(cephHandle(1), `/${cephHandle(1)}`) },
      other: { source: cephNfs(cephHandle(2), `/${cephHandle(2)}`) },
    },
    {
      what: 'a CephFS subvolume, and another path by a handle with its UUID, which deletes nothing',
      one: { source: csi(cephFs, cephHandle(1)) },
      other: { source: cephCsi(`csi-vol-${cephUuid(1)}`, '/volumes/_nogroup/team') },
    },
    {
      what: 'two Manila shares',
      one: { source: manilaCsi(share(1), share(1)) },
      other: { source: manilaCsi(share(2), share(2)) },
    },
    {
      what: 'a Manila share that is only mounted, by a handle of another one, and the latter',
      one: { source: manilaCsi(share(2), share(1)), policy: 'Retain' },
      other: { source: manilaCsi('a', share(2)) },
    },
    {
      what: 'two Manila shares by handles of another form, by which nothing is deleted',
      one: { source: manilaCsi('a', share(1)) },
      other: { source: manilaCsi('a', share(2)) },
    },
    {
      what: 'two Filestore instances',
      one: { source: filestore('modeInstance/us-central1-c/a/vol1') },
      other: { source: filestore('modeInstance/us-central1-c/b/vol1') },
    },
    {
      what: 'Filestore instances of one name in two zones',
      one: { source: filestore('modeInstance/us-central1-c/a/vol1') },
      other: { source: filestore('modeInstance/us-central1-b/a/vol1') },
    },
    {
      what: 'two shares of one Filestore instance',
      one: { source: filestore('modeMultishare/fast/project/us-central1/nfs/a') },
      other: { source: filestore('modeMultishare/fast/project/us-central1/nfs/b') },
    },
    {
      what: 'two handles that are none of Filestore',
      one: { source: filestore('projects/p/locations/l/instances/i/volumes/v') },
      other: { source: filestore('projects/p/locations/l/instances/i/volumes/w') },
    },
    {
      what: 'two file systems of Oracle at one mount target',
      one: { source: ociFss('ocid1.filesystem.oc1.phx.a:10.0.0.1:/shared') },
      other: { source: ociFss('ocid1.filesystem.oc1.phx.b:10.0.0.1:/shared') },
    },
    {
      what: 'two handles of Oracle without a mount target',
      one: { source: ociFss('a:b') },
      other: { source: ociFss('a:c') },
    },
    {
      what: 'two handles of Oracle without a file system',
      one: { source: ociFss(':10.0.0.1:/a') },
      other: { source: ociFss(':10.0.0.1:/b') },
    },
    {
      what: 'two volumes of Linode of one label',
      one: { source: linode('516140-data') },
      other: { source: linode('516141-data') },
    },
    {
      what: 'two handles that are none of Linode',
      one: { source: linode('data-1-a') },
      other: { source: linode('data-1-b') },
    },
    {
      what: 'two EFS access points of one file system',
      one: { source: csi('efs.csi.aws.com', 'fs-1::fsap-1') },
      other: { source: csi('efs.csi.aws.com', 'fs-1::fsap-2') },
    },
    {
      what: 'two EFS folders without an access point',
      one: { source: csi('efs.csi.aws.com', 'fs-1:/a') },
      other: { source: csi('efs.csi.aws.com', 'fs-1:/b:') },
    },
    { what: 'folders side by side', one: { source: hostPath('/r/a') }, other: { source: hostPath('/r/b') } },
    {
      what: 'a name that begins alike',
      one: { source: hostPath('/r/a') },
      other: { source: hostPath('/r/ab') },
    },
    { what: 'a name in capitals', one: { source: hostPath('/r/a') }, other: { source: hostPath('/r/A') } },
    { what: 'local folders side by side', one: { source: local('/r/a') }, other: { source: local('/r/b') } },
    { what: 'NFS folders side by side', one: { source: nfs('s', '/a') }, other: { source: nfs('s', '/b') } },
    { what: 'NFS servers', one: { source: nfs('s', '/p') }, other: { source: nfs('t', '/p') } },
    {
      what: 'two folders of the NFS driver',
      one: { source: nfsCsi('nas#export#pvc-1##', { server: 'nas', share: '/export', subdir: 'pvc-1' }) },
      other: { source: nfsCsi('nas#export#pvc-2##', { server: 'nas', share: '/export', subdir: 'pvc-2' }) },
    },
    {
      what: 'two volumes of the NFS driver that were made by hand, and whose handles name no folder',
      one: {
        source: nfsCsi('nas.default.svc/export##', { server: 'nas', share: '/export', subdir: 'a' }),
      },
      other: { source: nfsCsi('by-hand', { server: 'nas', share: '/export', subdir: 'b' }) },
    },
    {
      what: 'what nobody deletes by the handle of the NFS driver, and the folder in the handle',
      one: { source: nfsCsi('nas#export#a##', { server: 'nas', share: '/b' }), policy: 'Retain' },
      other: { source: nfs('nas', '/export/a') },
    },
    {
      what: 'two containers of Azure blobs',
      one: { source: blobCsi('group#x#c') },
      other: { source: blobCsi('group#x#d') },
    },
    {
      what: 'containers of Azure blobs of two accounts',
      one: { source: blobCsi('group#x#c') },
      other: { source: blobCsi('by-hand', { containername: 'c', storageaccountname: 'y' }) },
    },
    {
      what: 'an Azure share, where an attribute of the driver of blobs is ignored, and one of the account in it',
      one: { source: azureCsi('group#x#s', { storageAccountName: 'y' }) },
      other: { source: azureCsi('group#y#s') },
    },
    {
      what: 'two folders of the SMB driver',
      one: { source: smbCsi('nas/share#pvc-1##', { source: '//nas/share', subdir: 'pvc-1' }) },
      other: { source: smbCsi('nas/share#pvc-2##') },
    },
    {
      what: 'what nobody deletes by the handle of the SMB driver, and the folder in the handle',
      one: { source: smbCsi('nas/share#a##', { source: '//nas/share/b' }), policy: 'Retain' },
      other: { source: smbCsi('nas/share#a##') },
    },
    {
      what: 'two handles of the SMB driver that name no folder',
      one: { source: smbCsi('a') },
      other: { source: smbCsi('b') },
    },
    { what: 'NFS and a folder here', one: { source: nfs('s', '/p') }, other: { source: hostPath('/p') } },
    { what: 'handles', one: { source: csi('d', 'h') }, other: { source: csi('d', 'i') } },
    { what: 'handles of two drivers', one: { source: csi('d', 'h') }, other: { source: csi('e', 'h') } },
    { what: 'handles like folders', one: { source: csi('d', '/p') }, other: { source: csi('d', '/p/q') } },
    {
      what: 'GCE disks of one name in two zones',
      one: { source: gce('d'), zone: 'a-b-c' },
      other: { source: gceCsi('projects/p/zones/a-b-d/disks/d') },
    },
    {
      what: 'two shares of an Azure account',
      one: { source: azureFile('x', 's') },
      other: { source: azureFile('x', 't') },
    },
    {
      what: 'two shares of an Azure account, one of them by attributes',
      one: { source: azureCsi('group#x#s') },
      other: { source: azureCsi('unique', { storageAccount: 'x', shareName: 't' }) },
    },
    {
      what: 'an Azure share, and one that is retained, whose handle alone names it',
      one: { source: azureCsi('group#x#s') },
      other: { source: azureCsi('group#x#s', { shareName: 't' }), policy: 'Retain' },
    },
    {
      what: 'shares of one name of two Azure accounts, one of them by the name of its Secret',
      one: { source: azureCsi('group#x#s') },
      other: { source: azureBySecret('group#x#s', 'azure-storage-account-y-secret'), policy: 'Retain' },
    },
    {
      what: 'shares of one name of two Azure accounts',
      one: { source: azureCsi('group#x#s') },
      other: { source: azureCsi('unique', { storageAccount: 'y', shareName: 's' }) },
    },
    {
      what: 'two shares of an Azure account that were made from a template',
      one: { source: azureCsi('group#x#s', { shareName: '${pvc.metadata.name}' }) },
      other: { source: azureCsi('group#x#t', { shareName: '${pvc.metadata.name}' }) },
    },
    {
      what: 'two disks of vSphere in one folder',
      one: { source: vsphere('[fast] volumes/db') },
      other: { source: vsphere('[fast] volumes/db-2') },
    },
    {
      what: 'disks of vSphere of one path on two datastores of a cluster',
      one: { source: vsphere('[flash/fast] volumes/db') },
      other: { source: vsphere('[flash/faster] volumes/db') },
    },
    {
      what: 'disks of vSphere of which one is in a folder named as the other',
      one: { source: vsphere('[fast] volumes') },
      other: { source: vsphere('[fast] volumes/db') },
    },
    {
      what: 'two disks of vSphere by handles that are no paths',
      one: { source: csi('csi.vsphere.vmware.com', 'one') },
      other: { source: csi('csi.vsphere.vmware.com', 'two') },
    },
    {
      what: 'two in-tree volumes of EBS',
      one: { source: ebs('aws://z/vol-1') },
      other: { source: ebs('aws://z/vol-2') },
    },
    { what: 'an empty handle', one: { source: csi('d', '') }, other: { source: csi('d', 'h') } },
    { what: 'sources that name no storage', one: { source: ebs('') }, other: { source: ebs('') } },
    { what: 'sources that are not known', one: { source: {} }, other: { source: {} } },
  ])('$what', ({ one, other }) => {
    expect(overlap(one, other)).toBe(false);
  });
});

describe('source that can not be read as a whole', () => {
  test.each<{ what: string; spec: unknown; identity: readonly string[] | undefined }>([
    { what: 'spec is a text', spec: 'x', identity: [] },
    { what: 'spec is a list', spec: [], identity: [] },
    { what: 'spec is null', spec: null, identity: [] },
    {
      what: 'sources beside its own are null',
      spec: { hostPath: null, local: null, nfs: null, csi: { driver: 'd', volumeHandle: 'h' } },
      identity: ['csi', 'd', 'h'],
    },
    { what: 'path is a number', spec: { hostPath: { path: 7 } }, identity: ['folder'] },
    { what: 'hostPath is a text', spec: { hostPath: 'x' }, identity: ['folder'] },
    { what: 'local has no path', spec: { local: {} }, identity: ['folder'] },
    {
      what: 'path of nfs is a list',
      spec: { nfs: { server: 'NAS', path: [] } },
      identity: ['csi', nfsDriver, 'nas'],
    },
    {
      what: 'server of nfs is null',
      spec: { nfs: { server: null, path: '/' } },
      identity: ['csi', nfsDriver],
    },
    { what: 'csi is a text', spec: { csi: 'x' }, identity: ['csi'] },
    { what: 'driver is a number', spec: { csi: { driver: 7, volumeHandle: 'h' } }, identity: ['csi'] },
    { what: 'handle is a message', spec: { csi: { driver: 'd', volumeHandle: {} } }, identity: ['csi', 'd'] },
    { what: 'handle is missing', spec: { csi: { driver: 'd' } }, identity: ['csi', 'd'] },
    {
      what: 'handle is missing, of the second driver for EBS',
      spec: { csi: { driver: 'ebs.csi.eks.amazonaws.com' } },
      identity: ['csi', 'ebs.csi.aws.com'],
    },
    {
      what: 'volume of AWS is a number',
      spec: { awsElasticBlockStore: { volumeID: 7 } },
      identity: ['csi', 'ebs.csi.aws.com'],
    },
    { what: 'cinder is a text', spec: { cinder: 'x' }, identity: ['csi', 'cinder.csi.openstack.org'] },
    {
      what: 'volume of cinder is a number',
      spec: { cinder: { volumeID: 7 } },
      identity: ['csi', 'cinder.csi.openstack.org'],
    },
    {
      what: 'disk of GCE is a message',
      spec: { gcePersistentDisk: { pdName: {} } },
      identity: ['csi', 'pd.csi.storage.gke.io'],
    },
    {
      what: 'disk of GCE is a message, beside what can be read',
      spec: { gcePersistentDisk: { pdName: {}, fsType: 'ext4' } },
      identity: ['csi', 'pd.csi.storage.gke.io'],
    },
    {
      what: 'share of Azure is a number',
      spec: { azureFile: { secretName: 's', shareName: 7 } },
      identity: ['csi', 'file.csi.azure.com'],
    },
    { what: 'kind that nobody deletes is a text', spec: { iscsi: 'x' }, identity: undefined },
  ])('$what -> $identity', ({ spec, identity }) => {
    const odd = { ...volume(), spec } as unknown as PersistentVolume;
    expect(storageIdentityOf(odd)).toEqual(identity);
  });
});

describe('path of a megabyte', () => {
  const deep = '/a'.repeat(500_000);

  test('half a million folders -> no more steps than a path can have, hostPath and nfs', () => {
    expect(identityOf({ source: hostPath(deep) }, 'deep')).toHaveLength(2_048);
    expect(identityOf({ source: nfs('server', deep) }, 'deep')).toHaveLength(2_050);
  });

  test('two that part below that -> they overlap; longest path that there is beside another -> they do not', () => {
    expect(overlap({ source: hostPath(`${deep}/x`) }, { source: hostPath(`${deep}/y`) })).toBe(true);
    const longest = '/a'.repeat(2_046);
    expect(overlap({ source: hostPath(`${longest}/x`) }, { source: hostPath(`${longest}/y`) })).toBe(false);
  });
});

test.each([
  { what: 'one folder', other: hostPath('/r/a'), is: true },
  { what: 'folders side by side', other: hostPath('/r/b'), is: false },
  { what: 'one of a source that is not known', other: {}, is: false },
])('P1: two volumes, $what -> $is', ({ other, is }) => {
  const [a, b] = [volume({ name: 'a', source: hostPath('/r/a') }), volume({ name: 'b', source: other })];
  expect([volumesOverlap(a, b), volumesOverlap(b, a)]).toEqual([is, is]);
});

const gke = 'pd.csi.storage.gke.io';
const azureFiles = 'file.csi.azure.com';

test.each<{ what: string; source: Source; identity: readonly string[] | undefined }>([
  { what: 'hostPath', source: hostPath('/r//a/../b/'), identity: ['folder', 'r', 'b'] },
  { what: 'local', source: local('/r/a'), identity: ['folder', 'r', 'a'] },
  { what: 'NFS', source: nfs('NAS', '/p/q'), identity: ['csi', nfsDriver, 'nas', 'p', 'q'] },
  {
    what: 'handle of the NFS driver that names no folder',
    source: nfsCsi('a#b'),
    identity: ['csi', nfsDriver, 'a#b'],
  },
  ...[
    { what: 'that starts with a slash', handle: '/nas/p/v' },
    { what: 'that ends with a slash', handle: 'nas/p/v/' },
  ].map(({ what, handle }) => ({
    what: `handle of the NFS driver ${what}, and so names no folder`,
    source: nfsCsi(handle),
    identity: ['csi', nfsDriver, handle],
  })),
  {
    what: 'handle of the NFS driver with the folders of a share',
    source: nfsCsi('nas#p/q/r#v'),
    identity: ['csi', nfsDriver, 'nas', 'p', 'q', 'r', 'v'],
  },
  {
    what: 'volume of the NFS driver whose attributes name no share',
    source: nfsCsi('nas#p#v', { server: 'nas' }),
    identity: ['csi', nfsDriver, 'nas', 'p', 'v'],
  },
  {
    what: 'volume of the NFS driver that mounts more than is deleted',
    source: nfsCsi('nas#p#v', { server: 'nas', share: '/p' }),
    identity: ['csi', nfsDriver, 'nas', 'p'],
  },
  {
    what: 'volume of the NFS driver that mounts something else than is deleted',
    source: nfsCsi('nas#p#v', { server: 'nas', share: '/q' }),
    identity: ['csi', nfsDriver],
  },
  {
    what: 'handle of the SMB driver that names no folder',
    source: csi('smb.csi.k8s.io', 'H'),
    identity: ['csi', 'smb.csi.k8s.io', 'H'],
  },
  {
    what: 'a CephFS subvolume that a user made',
    source: cephCsi('H', '/volumes/g/v'),
    identity: ['csi', cephFs, 'H'],
  },
  {
    what: 'an RBD image',
    source: csi('rbd.csi.ceph.com', cephHandle(1)),
    identity: ['csi', 'rbd.csi.ceph.com', cephUuid(1)],
  },
  { what: 'CSI', source: csi('d', 'H'), identity: ['csi', 'd', 'H'] },
  { what: 'EBS', source: ebs('aws://z/vol-1'), identity: ['csi', 'ebs.csi.aws.com', 'vol-1'] },
  {
    what: 'EBS of EKS Auto Mode',
    source: csi('ebs.csi.eks.amazonaws.com', 'vol-1'),
    identity: ['csi', 'ebs.csi.aws.com', 'vol-1'],
  },
  {
    what: 'an EFS access point',
    source: csi('efs.csi.aws.com', 'fs-1:/a:fsap-1'),
    identity: ['csi', 'efs.csi.aws.com', 'fsap-1'],
  },
  {
    what: 'an Azure disk',
    source: csi('disk.csi.azure.com', '/G/disks/D'),
    identity: ['csi', 'disk.csi.azure.com', '/g/disks/d'],
  },
  {
    what: 'an Azure share',
    source: csi(azureFiles, 'Group#Account#Share#any'),
    identity: ['csi', azureFiles, 'share', 'account'],
  },
  {
    what: 'an Azure share whose attributes are empty',
    source: azureCsi('G#A#S', { storageAccount: '', shareName: '' }),
    identity: ['csi', azureFiles, 's', 'a'],
  },
  {
    what: 'an Azure share that is deleted by its handle and mounted by an attribute',
    source: azureCsi('G#A#S', { shareName: 't' }),
    identity: ['csi', azureFiles],
  },
  {
    what: 'an Azure handle without an account',
    source: csi(azureFiles, 'G##S'),
    identity: ['csi', azureFiles, 's'],
  },
  { what: 'an empty handle', source: csi('d', ''), identity: undefined },
  {
    what: 'an Azure handle without a share',
    source: csi(azureFiles, 'G#A'),
    identity: ['csi', azureFiles, 'G#A'],
  },
  {
    what: 'an Azure handle of another form',
    source: csi(azureFiles, 'H'),
    identity: ['csi', azureFiles, 'H'],
  },
  {
    what: 'a GCE disk of a zone',
    source: gceCsi('projects/p/zones/a-b-c/disks/data-1'),
    identity: ['csi', gke, 'data-1', 'a-b-c'],
  },
  {
    what: 'a GCE disk of a zone that is not said',
    source: gceCsi('projects/UNSPECIFIED/zones/UNSPECIFIED/disks/data-1'),
    identity: ['csi', gke, 'data-1'],
  },
  { what: 'a GCE disk without a zone', source: gceCsi('disks/data-1'), identity: ['csi', gke, 'data-1'] },
  { what: 'a GCE handle of another form', source: gceCsi('data-1'), identity: ['csi', gke, 'data-1'] },
  {
    what: 'a GCE handle with something before it',
    source: gceCsi('x/projects/p/zones/z/disks/d'),
    identity: ['csi', gke, 'x/projects/p/zones/z/disks/d'],
  },
  {
    what: 'a GCE disk with a line break in its name',
    source: gceCsi('disks/d\ne'),
    identity: ['csi', gke, 'd\ne'],
  },
  ...[
    { what: 'a disk of vSphere', handle: '[fast] volumes/db.vmdk', disk: '[fast] volumes/db' },
    {
      what: 'one with the cluster of its datastore',
      handle: ' [flash/fast]/volumes//db.VMDK ',
      disk: '[fast] volumes/db',
    },
    { what: 'one with another end', handle: '[fast] db.vmdk-1', disk: '[fast] db.vmdk-1' },
    { what: 'one with a line break in its name', handle: '[fast] d\ne.vmdk', disk: '[fast] d\ne' },
    {
      what: 'a handle of vSphere that is no path',
      handle: 'x[flash/fast] db.vmdk',
      disk: 'x[flash/fast] db.vmdk',
    },
  ].map(({ what, handle, disk }) => ({
    what,
    source: csi('csi.vsphere.vmware.com', handle),
    identity: ['csi', 'csi.vsphere.vmware.com', disk],
  })),
])('P1: $what -> known by $identity', ({ source, identity }) => {
  expect(storageIdentityOf(volume({ source }))).toEqual(identity);
});

test.each([
  { what: 'RBD', driver: 'rbd.csi.ceph.com', handle: cephHandle(1), known: cephUuid(1) },
  {
    what: 'CephFS, of a cluster whose name has 16 characters',
    driver: cephFs,
    handle: `0001-0010-${cephUuid(7).slice(0, 16)}-0000000000000001-${cephUuid(1)}`,
    known: cephUuid(1),
  },
  { what: 'Manila', driver: 'nfs.manila.csi.openstack.org', handle: share(1), known: share(1) },
  { what: 'another driver', driver: 'csi.example.com', handle: cephHandle(1), known: cephHandle(1) },
])('what a driver lists: $what -> known as its PersistentVolume is', ({ driver, handle, known }) => {
  expect(csiIdentityOf(driver, handle)).toEqual(['csi', driver, known]);
  expect(storageIdentityOf(volume({ source: csi(driver, handle) }))).toEqual(['csi', driver, known]);
});

test('X1: an Azure share of a source that nobody deletes by its handle -> known by its attributes', () => {
  const { csi: source } = azureCsi('G#A#S', { shareName: 't' });
  expect(csiStorageOf(source)).toEqual(['csi', azureFiles, 't', 'a']);
});

test.each([
  {
    what: 'Azure files',
    driver: 'file.csi.azure.com',
    kept: { ShareName: 'data', storageaccount: 'acme' },
  },
  { what: 'NFS', driver: nfsDriver, kept: { subDir: 'a' } },
  { what: 'SMB', driver: 'smb.csi.k8s.io', kept: { subDir: 'a' } },
  { what: 'Azure blobs', driver: 'blob.csi.azure.com', kept: { storageaccount: 'acme' } },
  { what: 'CephFS', driver: cephFs, kept: { rootPath: '/a' } },
  { what: 'another driver', driver: 'csi.example.com', kept: undefined },
])('attributes of a volume of $what -> $kept is kept', ({ driver, kept }) => {
  const attributes = {
    ShareName: 'data',
    storageaccount: 'acme',
    subDir: 'a',
    protocol: 'nfs',
    rootPath: '/a',
  };
  expect(storageAttributesOf(driver, attributes)).toEqual(kept);
});

test('attribute of Manila that names the share -> kept', () => {
  const kept = storageAttributesOf('nfs.manila.csi.openstack.org', { shareID: 's', shareAccessID: 'a' });
  expect(kept).toEqual({ shareID: 's' });
});

test('attributes of Azure blobs that name the account -> kept, in whatever case', () => {
  const attributes = { secretName: 's', Server: 'x', storageAccountName: 'a', containerName: 'c' };
  expect(storageAttributesOf('blob.csi.azure.com', { ...attributes, protocol: 'fuse' })).toEqual(attributes);
});

test.each([
  { what: 'NFS', source: nfs('NAS', '/p/q'), folder: { server: 'nas', path: '/p/q' } },
  { what: 'all of a server', source: nfs('NAS', '/'), folder: { server: 'nas', path: '/' } },
  { what: 'any NFS', source: { nfs: { server: 7 } } as unknown as Source, folder: { path: '/' } },
  { what: 'another driver', source: csi('d', 'H'), folder: undefined },
  { what: 'a folder', source: hostPath('/nfs.csi.k8s.io/nas/p'), folder: undefined },
])('storage of $what -> $folder of NFS', ({ source, folder }) => {
  const identity = storageIdentityOf(volume({ source }));
  expect(nfsFolderOf(identity ?? [])).toEqual(folder);
});
