import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

const azureFileFields = {
  secretName: 'Secret with the name and the key of the Azure storage account.',
  shareName: 'Name of the share.',
  readOnly: 'Mounts the share read-only; false by default.',
};

const cephFSFields = {
  monitors: 'Addresses of the Ceph monitors.',
  path: 'Directory of the file system to mount; / by default.',
  user: 'Rados user; admin by default.',
  secretFile: 'File on the node with the key of the user; /etc/ceph/user.secret by default.',
  secretRef: 'Secret with the key of the user, in place of secretFile.',
  readOnly: 'Mounts the volume read-only; false by default.',
};

const cinderFields = {
  volumeID: 'ID of the volume in Cinder.',
  fsType: 'File system of the volume; ext4 when unset.',
  readOnly: 'Attaches the volume read-only; false by default.',
  secretRef: 'Secret with the parameters to reach OpenStack.',
};

const flexFields = {
  driver: 'Name of the FlexVolume driver.',
  fsType: 'File system of the volume; its default is up to the driver.',
  secretRef: 'Secret that is passed to the driver.',
  readOnly: 'Mounts the volume read-only; false by default.',
  options: 'Further options for the driver.',
};

const glusterfsFields = {
  endpoints: 'Endpoints object with the addresses of the Gluster servers.',
  path: 'Gluster volume to mount.',
  readOnly: 'Mounts the volume read-only; false by default.',
};

const iscsiFields = {
  targetPortal: 'Address of the target, as IP or IP:port; port 3260 when unset.',
  iqn: 'Qualified name of the target.',
  lun: 'Number of the logical unit.',
  iscsiInterface: 'Interface of the initiator; the one named default (tcp) when unset.',
  fsType: 'File system of the volume; ext4 when unset.',
  readOnly: 'Mounts the volume read-only; false by default.',
  portals: 'Further portals of the target, for multipath.',
  chapAuthDiscovery: 'Whether discovery authenticates by CHAP.',
  chapAuthSession: 'Whether sessions authenticate by CHAP.',
  secretRef: 'Secret with the CHAP credentials.',
  initiatorName: 'Qualified name of the initiator, for an interface of its own.',
};

const rbdFields = {
  monitors: 'Addresses of the Ceph monitors.',
  image: 'Name of the RADOS image.',
  fsType: 'File system of the volume; ext4 when unset.',
  pool: 'RADOS pool; rbd by default.',
  user: 'RADOS user; admin by default.',
  keyring: 'Keyring file on the node; /etc/ceph/keyring by default.',
  secretRef: 'Secret with the key of the user, in place of keyring.',
  readOnly: 'Mounts the volume read-only; false by default.',
};

const scaleIOFields = {
  gateway: 'Address of the ScaleIO API gateway.',
  system: 'Name of the storage system.',
  secretRef: 'Secret with the credentials of the gateway.',
  sslEnabled: 'Whether the gateway is reached by TLS; false by default.',
  protectionDomain: 'Protection domain of the storage.',
  storagePool: 'Storage pool of the protection domain.',
  storageMode: 'ThinProvisioned (default) or ThickProvisioned.',
  volumeName: 'Name of an existing volume.',
  fsType: 'File system of the volume; xfs by default.',
  readOnly: 'Mounts the volume read-only; false by default.',
};

const storageOSFields = {
  volumeName: 'Name of the StorageOS volume.',
  volumeNamespace: 'StorageOS namespace of the volume; by default that of the pod.',
  fsType: 'File system of the volume; ext4 when unset.',
  readOnly: 'Mounts the volume read-only; false by default.',
  secretRef: 'Secret with the credentials of the StorageOS API.',
};

export const volumeDescriptions: Descriptions = {
  'core.v1.AWSElasticBlockStoreVolumeSource': {
    about: 'An EBS disk in AWS, in the zone of the node; served by the CSI driver ebs.csi.aws.com.',
    fields: {
      volumeID: 'ID of the disk.',
      fsType: 'File system of the volume; ext4 when unset.',
      partition: 'Number of the partition to mount; 0 or unset mounts the whole disk.',
      readOnly: 'Mounts the volume read-only; false by default.',
    },
  },
  'core.v1.AzureDiskVolumeSource': {
    about: 'A data disk in Azure; served by the CSI driver disk.csi.azure.com.',
    fields: {
      diskName: 'Name of the disk.',
      diskURI: 'URI of the disk.',
      cachingMode: 'Cache of the host: None, ReadOnly or ReadWrite (default).',
      fsType: 'File system of the volume; ext4 by default.',
      readOnly: 'Mounts the volume read-only; false by default.',
      kind: 'Kind of the disk: Shared (default), Dedicated or Managed.',
    },
  },
  'core.v1.AzureFilePersistentVolumeSource': {
    about: 'An Azure file share as a PersistentVolume; served by the CSI driver file.csi.azure.com.',
    fields: { ...azureFileFields, secretNamespace: 'Namespace of the Secret; by default that of the claim.' },
  },
  'core.v1.AzureFileVolumeSource': {
    about: 'An Azure file share; served by the CSI driver file.csi.azure.com.',
    fields: { ...azureFileFields },
  },
  'core.v1.CSIPersistentVolumeSource': {
    about: 'A volume of a CSI driver.',
    fields: {
      driver: 'Name of the CSI driver.',
      volumeHandle: 'ID of the volume, by which the driver knows it.',
      readOnly: 'Whether it is published read-only by ControllerPublishVolume; false by default.',
      fsType: 'File system of the volume; its default is up to the external provisioner.',
      volumeAttributes: 'Volume context that is passed to the driver.',
      controllerPublishSecretRef:
        'Secret for the calls ControllerPublishVolume and ControllerUnpublishVolume.',
      nodeStageSecretRef: 'Secret for NodeStageVolume.',
      nodePublishSecretRef: 'Secret for NodePublishVolume.',
      controllerExpandSecretRef: 'Secret for ControllerExpandVolume.',
      nodeExpandSecretRef: 'Secret for NodeExpandVolume.',
    },
  },
  'core.v1.CSIVolumeSource': {
    about: 'A volume that a CSI driver makes for the pod and deletes with it.',
    fields: {
      driver: 'Name of the CSI driver; it must support ephemeral volumes.',
      readOnly: 'Mounts the volume read-only; false by default.',
      fsType: 'File system of the volume; by default the driver decides.',
      volumeAttributes: 'Parameters that are passed to the driver.',
      nodePublishSecretRef: "Secret, in the pod's namespace, for NodePublishVolume.",
    },
  },
  'core.v1.CephFSPersistentVolumeSource': {
    about: 'A Ceph file system as a PersistentVolume; current kubelets do not mount it.',
    fields: { ...cephFSFields },
  },
  'core.v1.CephFSVolumeSource': {
    about: 'A Ceph file system; current kubelets do not mount it.',
    fields: { ...cephFSFields },
  },
  'core.v1.CinderPersistentVolumeSource': {
    about:
      'A Cinder volume of OpenStack as a PersistentVolume; served by the CSI driver cinder.csi.openstack.org.',
    fields: { ...cinderFields },
  },
  'core.v1.CinderVolumeSource': {
    about: 'A Cinder volume of OpenStack; served by the CSI driver cinder.csi.openstack.org.',
    fields: { ...cinderFields },
  },
  'core.v1.ClusterTrustBundleProjection': {
    about: 'Trust anchors of ClusterTrustBundles as one PEM file in a projected volume.',
    fields: {
      name: 'One bundle by its name; refused with signerName and labelSelector.',
      signerName: 'All bundles of a signer, without duplicate certificates.',
      labelSelector: 'Narrows down the bundles of the signer; unset selects none, {} all.',
      optional: 'Whether the pod starts even though no bundle matches.',
      path: 'Path of the file below the volume.',
    },
  },
  'core.v1.ConfigMapProjection': {
    about: 'A ConfigMap as files in a projected volume.',
    fields: {
      name: 'Name of the ConfigMap in the namespace of the pod.',
      items: 'Keys to write, and where; by default all keys under their own names.',
      optional: 'Whether the ConfigMap or its keys may be missing.',
    },
  },
  'core.v1.ConfigMapVolumeSource': {
    about: 'A ConfigMap as a volume with one file for each key.',
    fields: {
      name: 'Name of the ConfigMap in the namespace of the pod.',
      items: 'Keys to write, and where; by default all keys under their own names.',
      defaultMode: 'Permission bits of the files, 0 to 0777 in octal; 0644 by default.',
      optional: 'Whether the ConfigMap or its keys may be missing.',
    },
  },
  'core.v1.DownwardAPIVolumeSource': {
    about: 'A volume of files that hold fields of the pod.',
    fields: {
      items: 'Files to write.',
      defaultMode: 'Permission bits of the files, 0 to 0777 in octal; 0644 by default.',
    },
  },
  'core.v1.EmptyDirVolumeSource': {
    about: 'An empty directory on the node that is deleted with the pod.',
    fields: {
      medium:
        'Empty (default) for the disk of the node, Memory for a tmpfs, HugePages or HugePages-SIZE for huge pages.',
      sizeLimit:
        'Most that the directory may hold; unlimited by default, though memory limits bound a tmpfs.',
    },
  },
  'core.v1.EphemeralVolumeSource': {
    about: 'A volume from a claim that is created with the pod and deleted with it.',
    fields: {
      volumeClaimTemplate: 'Template of the claim, which is named POD-VOLUME; it cannot be changed.',
    },
  },
  'core.v1.FCVolumeSource': {
    about: 'A Fibre Channel disk, by targetWWNs and lun or by wwids.',
    fields: {
      targetWWNs: 'World wide names of the targets.',
      lun: 'Number of the logical unit.',
      fsType: 'File system of the volume; ext4 when unset.',
      readOnly: 'Mounts the volume read-only; false by default.',
      wwids: 'World wide identifiers of the volume, in place of targetWWNs and lun.',
    },
  },
  'core.v1.FlexPersistentVolumeSource': {
    about: 'A volume of an exec-based FlexVolume driver as a PersistentVolume; CSI drivers are preferred.',
    fields: { ...flexFields },
  },
  'core.v1.FlexVolumeSource': {
    about: 'A volume of an exec-based FlexVolume driver; CSI drivers are preferred.',
    fields: { ...flexFields },
  },
  'core.v1.FlockerVolumeSource': {
    about: 'A Flocker volume, by one of both fields; current kubelets do not mount it.',
    fields: {
      datasetName: 'Name of the dataset; datasetUUID is preferred.',
      datasetUUID: 'UUID of the dataset.',
    },
  },
  'core.v1.GCEPersistentDiskVolumeSource': {
    about:
      'A persistent disk in GCE, in the zone of the node; served by the CSI driver pd.csi.storage.gke.io.',
    fields: {
      pdName: 'Name of the disk.',
      fsType: 'File system of the volume; ext4 when unset.',
      partition: 'Number of the partition to mount; 0 or unset mounts the whole disk.',
      readOnly: 'Mounts the volume read-only; false by default.',
    },
  },
  'core.v1.GitRepoVolumeSource': {
    about: 'A clone of a Git repository; deprecated and off by default, an init container can do it.',
    fields: {
      repository: 'URL of the repository.',
      revision: 'Commit to check out.',
      directory: 'Directory to clone into; "." is the volume itself, and ".." may not occur.',
    },
  },
  'core.v1.GlusterfsPersistentVolumeSource': {
    about: 'A Gluster volume as a PersistentVolume; current kubelets do not mount it.',
    fields: {
      ...glusterfsFields,
      endpointsNamespace: 'Namespace of the Endpoints object; by default that of the claim.',
    },
  },
  'core.v1.GlusterfsVolumeSource': {
    about: 'A Gluster volume; current kubelets do not mount it.',
    fields: { ...glusterfsFields },
  },
  'core.v1.HostPathVolumeSource': {
    about: 'A file or a directory of the node; powerful, and most pods do not need it.',
    fields: {
      path: 'Path on the node; a symbolic link is followed.',
      type: 'What must be there, or is made, such as Directory or FileOrCreate; empty (default) checks nothing.',
    },
  },
  'core.v1.ISCSIPersistentVolumeSource': {
    about: 'An iSCSI disk as a PersistentVolume.',
    fields: { ...iscsiFields },
  },
  'core.v1.ISCSIVolumeSource': {
    about: 'An iSCSI disk.',
    fields: { ...iscsiFields },
  },
  'core.v1.ImageVolumeSource': {
    about: 'An OCI image or artifact that is mounted read-only.',
    fields: {
      reference: 'Image to mount, as it is written for containers.',
      pullPolicy:
        'When to pull the image: Always, IfNotPresent or Never; Always for the tag latest, IfNotPresent for all others by default.',
    },
  },
  'core.v1.ImageVolumeStatus': {
    about: 'The image that a volume was made from.',
    fields: { imageRef: 'Digest of the image.' },
  },
  'core.v1.KeyToPath': {
    about: 'A key, and the file that it is written to.',
    fields: {
      key: 'Key of the ConfigMap or Secret.',
      path: 'Relative path of the file below the volume, without "..".',
      mode: 'Permission bits of the file, 0 to 0777 in octal; defaultMode of the volume applies when unset.',
    },
  },
  'core.v1.LocalVolumeSource': {
    about: 'A disk, a partition or a directory of one node; needs nodeAffinity.',
    fields: {
      path: 'Path on the node, of a directory or a block device.',
      fsType: 'File system to make on a block device that has none.',
    },
  },
  'core.v1.ModifyVolumeStatus': {
    about: 'How far the change to another VolumeAttributesClass is.',
    fields: {
      targetVolumeAttributesClassName: 'VolumeAttributesClass that the volume is being changed to.',
      status:
        'Pending (the class is missing or not ready), InProgress, or Infeasible (refused by the driver).',
    },
  },
  'core.v1.NFSVolumeSource': {
    about: 'A directory of an NFS server.',
    fields: {
      server: 'Host name or address of the server.',
      path: 'Path that the server exports.',
      readOnly: 'Mounts the export read-only; false by default.',
    },
  },
  'core.v1.PersistentVolume': {
    about:
      'A piece of storage of the cluster, made by an administrator or a provisioner, with a life of its own.',
    fields: {
      spec: 'What the volume is, and who may use it.',
      status: 'State of the volume, as the server and controllers report it.',
    },
  },
  'core.v1.PersistentVolumeClaim': {
    about: 'A request for storage, and then the right to the volume that it is bound to.',
    fields: { spec: 'Storage that is asked for.', status: 'What the claim has got.' },
  },
  'core.v1.PersistentVolumeClaimCondition': {
    about: 'A condition of a claim, such as FileSystemResizePending.',
    fields: { ...conditionFields, lastProbeTime: 'Time of the last check.' },
  },
  'core.v1.PersistentVolumeClaimSpec': {
    about:
      'Storage that is asked for; once the claim is bound, only its size and its attributes class can change.',
    fields: {
      accessModes:
        'How the volume is to be mounted: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
      selector: 'Labels of the volumes that may be bound; no volume is then provisioned.',
      resources:
        'Size that is asked for, as requests.storage; it can only grow, and shrink back after a failed expansion.',
      volumeName: 'PersistentVolume that the claim is bound to, or asks for.',
      storageClassName:
        'StorageClass of the volume; unset takes the default class, "" a volume without class.',
      volumeMode: 'Filesystem (default) mounts a directory, Block gives a raw device.',
      dataSource:
        'VolumeSnapshot or claim of the same namespace that the volume is filled from; dataSourceRef is kept equal.',
      dataSourceRef:
        'Object that the volume is filled from: a VolumeSnapshot, a claim, or of a kind that a populator serves.',
      volumeAttributesClassName: 'VolumeAttributesClass of the volume; it can be changed later.',
    },
  },
  'core.v1.PersistentVolumeClaimStatus': {
    about: 'What a claim has got.',
    fields: {
      phase: 'Pending, Bound, or Lost when its volume is gone.',
      accessModes: 'Access modes of the volume.',
      capacity: 'Actual size of the volume.',
      conditions: 'Conditions of the claim, such as those of an expansion under way.',
      allocatedResources: 'Size that is being provided; larger than capacity during an expansion.',
      allocatedResourceStatuses:
        'How far an expansion is, by resource, such as ControllerResizeInProgress or NodeResizePending.',
      currentVolumeAttributesClassName: 'VolumeAttributesClass that the volume has now.',
      modifyVolumeStatus: 'Change to another VolumeAttributesClass, if one is under way.',
    },
  },
  'core.v1.PersistentVolumeClaimTemplate': {
    about: 'Template of the claim of an ephemeral volume.',
    fields: { metadata: 'Labels and annotations of the claim.', spec: 'Spec of the claim.' },
  },
  'core.v1.PersistentVolumeClaimVolumeSource': {
    about: 'A claim as a volume of a pod.',
    fields: {
      claimName: "Name of a claim in the pod's namespace.",
      readOnly: 'Makes all mounts of the volume read-only; false by default.',
    },
  },
  'core.v1.PersistentVolumeSpec': {
    about: 'What a volume is; exactly one source is set.',
    fields: {
      capacity: 'Size of the volume, as storage.',
      gcePersistentDisk: 'A disk in GCE.',
      awsElasticBlockStore: 'An EBS disk in AWS.',
      hostPath: 'A path of the node, for tests on a single node.',
      glusterfs: 'A Gluster volume.',
      nfs: 'An NFS export.',
      rbd: 'A RADOS block device.',
      iscsi: 'An iSCSI disk.',
      cinder: 'A Cinder volume.',
      cephfs: 'A Ceph file system.',
      fc: 'A Fibre Channel disk.',
      flocker: 'A Flocker volume.',
      flexVolume: 'A volume of a FlexVolume driver.',
      azureFile: 'An Azure file share.',
      vsphereVolume: 'A vSphere disk.',
      quobyte: 'A Quobyte volume.',
      azureDisk: 'An Azure data disk.',
      photonPersistentDisk: 'A Photon disk.',
      portworxVolume: 'A Portworx volume.',
      scaleIO: 'A ScaleIO volume.',
      local: 'Storage of one node.',
      storageos: 'A StorageOS volume.',
      csi: 'A volume of a CSI driver.',
      accessModes: 'All ways in which the volume can be mounted.',
      claimRef: 'Claim that the volume is bound to, or reserved for.',
      persistentVolumeReclaimPolicy:
        'What becomes of it once its claim is gone: Retain (default), Delete or Recycle (deprecated); provisioned volumes take it from their class.',
      storageClassName: 'StorageClass of the volume; empty for none.',
      mountOptions: 'Options of the mount, such as ro; nobody checks them before the mount.',
      volumeMode: 'Filesystem (default) or Block, as in the claim.',
      nodeAffinity: 'Nodes from which the volume can be reached; pods that use it are scheduled there.',
      volumeAttributesClassName: 'VolumeAttributesClass that the volume has; empty for none.',
    },
  },
  'core.v1.PersistentVolumeStatus': {
    about: 'State of a volume.',
    fields: {
      phase: 'Pending, Available, Bound, Released (its claim is gone) or Failed.',
      message: 'Details about the phase, for people.',
      reason: 'Why the volume has failed, in one CamelCase word.',
      lastPhaseTransitionTime: 'When the phase last changed.',
    },
  },
  'core.v1.PhotonPersistentDiskVolumeSource': {
    about: 'A Photon disk; current kubelets do not mount it.',
    fields: { pdID: 'ID of the disk.', fsType: 'File system of the volume; ext4 when unset.' },
  },
  'core.v1.PodCertificateProjection': {
    about: 'A private key and a certificate chain that the kubelet gets and renews for the pod.',
    fields: {
      signerName: 'Signer that issues the certificate.',
      keyType: 'Kind of the key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.',
      maxExpirationSeconds: 'Longest validity in seconds, 3600 to 7862400; 86400 by default.',
      credentialBundlePath: 'File for key and chain in one, which are then always of one issuance.',
      keyPath: 'File for the key alone.',
      certificateChainPath: 'File for the chain alone.',
      userAnnotations: 'Extra data that the signer is handed in the PodCertificateRequest.',
    },
  },
  'core.v1.PortworxVolumeSource': {
    about: 'A Portworx volume; served by the CSI driver pxd.portworx.com.',
    fields: {
      volumeID: 'ID of the volume.',
      fsType: 'File system of the volume; ext4 when unset.',
      readOnly: 'Mounts the volume read-only; false by default.',
    },
  },
  'core.v1.ProjectedVolumeSource': {
    about: 'A volume with the files of several sources.',
    fields: {
      sources: 'Sources of the files.',
      defaultMode: 'Permission bits of the files, 0 to 0777 in octal; 0644 by default.',
    },
  },
  'core.v1.QuobyteVolumeSource': {
    about: 'A Quobyte volume; current kubelets do not mount it.',
    fields: {
      registry: 'Addresses of the Quobyte registries, as host:port, separated by commas.',
      volume: 'Name of the volume.',
      readOnly: 'Mounts the volume read-only; false by default.',
      user: 'User that access is mapped to; that of the service account when unset.',
      group: 'Group that access is mapped to; none when unset.',
      tenant: 'Tenant of the volume, for volumes that are provisioned.',
    },
  },
  'core.v1.RBDPersistentVolumeSource': {
    about: 'A RADOS block device of Ceph as a PersistentVolume; current kubelets do not mount it.',
    fields: { ...rbdFields },
  },
  'core.v1.RBDVolumeSource': {
    about: 'A RADOS block device of Ceph; current kubelets do not mount it.',
    fields: { ...rbdFields },
  },
  'core.v1.ScaleIOPersistentVolumeSource': {
    about: 'A ScaleIO volume as a PersistentVolume; current kubelets do not mount it.',
    fields: { ...scaleIOFields },
  },
  'core.v1.ScaleIOVolumeSource': {
    about: 'A ScaleIO volume; current kubelets do not mount it.',
    fields: { ...scaleIOFields },
  },
  'core.v1.SecretProjection': {
    about: 'A Secret as files in a projected volume.',
    fields: {
      name: 'Name of the Secret in the namespace of the pod.',
      items: 'Keys to write, and where; by default all keys under their own names.',
      optional: 'Whether the Secret or its keys may be missing.',
    },
  },
  'core.v1.SecretVolumeSource': {
    about: 'A Secret as a volume with one file for each key, kept in memory.',
    fields: {
      secretName: 'Name of the Secret in the namespace of the pod.',
      items: 'Keys to write, and where; by default all keys under their own names.',
      defaultMode: 'Permission bits of the files, 0 to 0777 in octal; 0644 by default.',
      optional: 'Whether the Secret or its keys may be missing.',
    },
  },
  'core.v1.ServiceAccountTokenProjection': {
    about: 'A token of the ServiceAccount as a file, which the kubelet renews.',
    fields: {
      audience: 'Audience of the token; by default that of the API server.',
      expirationSeconds:
        'Validity in seconds, at least 600; 3600 by default. It is renewed when 80 percent have passed.',
      path: 'Path of the file below the volume.',
    },
  },
  'core.v1.StorageOSPersistentVolumeSource': {
    about: 'A StorageOS volume as a PersistentVolume; current kubelets do not mount it.',
    fields: { ...storageOSFields },
  },
  'core.v1.StorageOSVolumeSource': {
    about: 'A StorageOS volume; current kubelets do not mount it.',
    fields: { ...storageOSFields },
  },
  'core.v1.TypedLocalObjectReference': {
    about: 'An object of any kind in the same namespace.',
    fields: {
      apiGroup: 'API group of the kind; unset for the core group.',
      kind: 'Kind of the object.',
      name: 'Name of the object.',
    },
  },
  'core.v1.TypedObjectReference': {
    about: 'An object of any kind, in the same or another namespace.',
    fields: {
      apiGroup: 'API group of the kind; unset for the core group.',
      kind: 'Kind of the object.',
      name: 'Name of the object.',
      namespace: 'Namespace of the object, which then needs a ReferenceGrant; unset for the same one.',
    },
  },
  'core.v1.Volume': {
    about: 'A volume of a pod: a name and one source, an emptyDir by default.',
    fields: {
      name: 'Name by which mounts refer to the volume, a DNS label that is unique in the pod.',
      hostPath: 'A path of the node.',
      emptyDir: 'An empty directory that lives as long as the pod.',
      gcePersistentDisk: 'A disk in GCE.',
      awsElasticBlockStore: 'An EBS disk in AWS.',
      gitRepo: 'A clone of a Git repository; deprecated.',
      secret: 'Files from a Secret.',
      nfs: 'An NFS export.',
      iscsi: 'An iSCSI disk.',
      glusterfs: 'A Gluster volume.',
      persistentVolumeClaim: 'A claim of the same namespace.',
      rbd: 'A RADOS block device.',
      flexVolume: 'A volume of a FlexVolume driver.',
      cinder: 'A Cinder volume.',
      cephfs: 'A Ceph file system.',
      flocker: 'A Flocker volume.',
      downwardAPI: 'Files with fields of the pod.',
      fc: 'A Fibre Channel disk.',
      azureFile: 'An Azure file share.',
      configMap: 'Files from a ConfigMap.',
      vsphereVolume: 'A vSphere disk.',
      quobyte: 'A Quobyte volume.',
      azureDisk: 'An Azure data disk.',
      photonPersistentDisk: 'A Photon disk.',
      projected: 'Files from several sources in one directory.',
      portworxVolume: 'A Portworx volume.',
      scaleIO: 'A ScaleIO volume.',
      storageos: 'A StorageOS volume.',
      csi: 'An ephemeral volume of a CSI driver.',
      ephemeral: 'A claim of its own that is deleted with the pod.',
      image: 'An OCI image or artifact.',
    },
  },
  'core.v1.VolumeDevice': {
    about: 'A raw block device in a container.',
    fields: {
      name: 'Volume of the pod, a claim of mode Block.',
      devicePath: 'Path of the device in the container.',
    },
  },
  'core.v1.VolumeMount': {
    about: 'A volume in the file system of a container.',
    fields: {
      name: 'Volume of the pod.',
      readOnly: 'Mounts it read-only; false by default.',
      recursiveReadOnly:
        'Whether mounts below it are read-only, too: Disabled (default), IfPossible or Enabled; needs readOnly.',
      mountPath: 'Where it appears in the container; ":" may not occur.',
      subPath: 'Path within the volume to mount; the root by default.',
      mountPropagation:
        'Whether mounts made later are passed on: None (default), HostToContainer or Bidirectional.',
      subPathExpr: 'As subPath, with $(NAME) standing for environment variables; one of both at most.',
    },
  },
  'core.v1.VolumeMountStatus': {
    about: 'How a mount of a container came out.',
    fields: {
      name: 'Name of the mount.',
      mountPath: 'Where it appears in the container.',
      readOnly: 'Whether it is read-only.',
      recursiveReadOnly: 'Disabled or Enabled, as it came out; unset without readOnly.',
      volumeStatus: 'Details of the volume, by its source.',
    },
  },
  'core.v1.VolumeNodeAffinity': {
    about: 'Nodes from which a volume can be reached.',
    fields: { required: 'Terms of which a node must match one.' },
  },
  'core.v1.VolumeProjection': {
    about: 'One source of a projected volume; exactly one field is set.',
    fields: {
      secret: 'Files from a Secret.',
      downwardAPI: 'Files with fields of the pod.',
      configMap: 'Files from a ConfigMap.',
      serviceAccountToken: 'A token of the ServiceAccount.',
      clusterTrustBundle: 'Trust anchors of ClusterTrustBundles.',
      podCertificate: 'A key and a certificate for the pod.',
    },
  },
  'core.v1.VolumeResourceRequirements': {
    about: 'Size of the storage of a claim.',
    fields: {
      limits: 'Most that is acceptable, by resource.',
      requests: 'Least that is needed, by resource; storage is required.',
    },
  },
  'core.v1.VolumeStatus': {
    about: 'Details of a mounted volume, by its source.',
    fields: { image: 'Details of an image volume.' },
  },
  'core.v1.VsphereVirtualDiskVolumeSource': {
    about: 'A vSphere disk; served by the CSI driver csi.vsphere.vmware.com.',
    fields: {
      volumePath: 'Path of the VMDK of the disk.',
      fsType: 'File system of the volume; ext4 when unset.',
      storagePolicyName: 'Name of the storage policy.',
      storagePolicyID: 'ID of the storage policy.',
    },
  },
};
