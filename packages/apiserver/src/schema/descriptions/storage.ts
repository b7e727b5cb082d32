import type { Descriptions } from './description.ts';

export const storageDescriptions: Descriptions = {
  'storage.v1.CSIDriver': {
    about: 'What Kubernetes needs to know about a CSI driver; its name is that of the driver.',
    fields: { spec: 'Properties of the driver.' },
  },
  'storage.v1.CSIDriverSpec': {
    about: 'Properties of a CSI driver.',
    fields: {
      attachRequired:
        'Whether volumes are attached before they are mounted; true by default, and it cannot be changed.',
      podInfoOnMount: 'Whether the driver is told the pod on NodePublishVolume; false by default.',
      volumeLifecycleModes:
        'Kinds of volumes that the driver has: Persistent (default), Ephemeral or both; it cannot be changed.',
      storageCapacity:
        'Whether the scheduler considers the CSIStorageCapacity objects of the driver; false by default.',
      fsGroupPolicy: 'Whether fsGroup applies to volumes: ReadWriteOnceWithFSType (default), File or None.',
      tokenRequests: 'Tokens of the ServiceAccount of the pod that the driver is given on NodePublishVolume.',
      requiresRepublish:
        'Whether NodePublishVolume is called periodically to refresh the volume; false by default.',
      seLinuxMount: 'Whether volumes can be mounted with an SELinux context; false by default.',
      nodeAllocatableUpdatePeriodSeconds:
        'Seconds between updates of the allocatable count in CSINode, at least 10; never updated when unset.',
      serviceAccountTokenInSecrets:
        'Whether tokens are passed as secrets in place of the volume context; false when unset.',
      preventPodSchedulingIfMissing:
        'Whether pods with volumes of the driver avoid nodes without it; needs its feature gate.',
    },
  },
  'storage.v1.CSINode': {
    about: 'CSI drivers on a node; its name is that of the node, and the kubelet writes it.',
    fields: { spec: 'Drivers on the node.' },
  },
  'storage.v1.CSINodeDriver': {
    about: 'A CSI driver on a node.',
    fields: {
      name: 'Name of the driver.',
      nodeID: 'ID by which the driver knows the node.',
      topologyKeys: 'Labels of the node that describe its topology to the driver.',
      allocatable: 'Volumes of the driver that the node can take.',
    },
  },
  'storage.v1.CSINodeSpec': {
    about: 'Drivers on a node.',
    fields: { drivers: 'The drivers; when one is unregistered, its entry goes.' },
  },
  'storage.v1.CSIStorageCapacity': {
    about: 'How much storage of a class is left in a part of the cluster.',
    fields: {
      nodeTopology: 'Nodes that can reach the storage; none when unset, all when empty.',
      storageClassName: 'StorageClass that the figures are for; it cannot be changed.',
      capacity: 'Storage that is left; not known when unset.',
      maximumVolumeSize: 'Largest volume that can be made; not known when unset.',
    },
  },
  'storage.v1.StorageClass': {
    about: 'A kind of storage from which volumes are provisioned.',
    fields: {
      provisioner: 'Driver that provisions the volumes.',
      parameters: 'Parameters for the provisioner.',
      reclaimPolicy: 'Reclaim policy of its volumes: Delete (default) or Retain.',
      mountOptions: 'Mount options of its volumes; nobody checks them.',
      allowVolumeExpansion: 'Whether claims of the class can grow; not when unset.',
      volumeBindingMode:
        'Immediate (default) provisions at once, WaitForFirstConsumer when a pod that uses the claim is scheduled.',
      allowedTopologies: 'Where volumes may be provisioned; anywhere when empty.',
    },
  },
  'storage.v1.TokenRequest': {
    about: 'A token that a CSI driver is given.',
    fields: {
      audience: 'Audience of the token; "" for that of the API server.',
      expirationSeconds: 'Validity in seconds, at least 600; by default 3600.',
    },
  },
  'storage.v1.VolumeAttachment': {
    about: 'The wish to attach a volume to a node, and what came of it.',
    fields: {
      spec: 'What to attach, and where; it cannot be changed.',
      status: 'Whether the volume is attached.',
    },
  },
  'storage.v1.VolumeAttachmentSource': {
    about: 'Volume to attach; exactly one field is set.',
    fields: {
      persistentVolumeName: 'PersistentVolume to attach.',
      inlineVolumeSpec: 'Spec of a volume that stands in a pod, for the migration to CSI.',
    },
  },
  'storage.v1.VolumeAttachmentSpec': {
    about: 'What to attach, and where.',
    fields: {
      attacher: 'CSI driver that attaches the volume.',
      source: 'Volume to attach.',
      nodeName: 'Node to attach it to.',
    },
  },
  'storage.v1.VolumeAttachmentStatus': {
    about: 'What came of an attachment.',
    fields: {
      attached: "Whether the volume is attached; set by the driver's attacher alone.",
      attachmentMetadata: 'Data from the driver that later mounts need.',
      attachError: 'Last failure to attach.',
      detachError: 'Last failure to detach.',
    },
  },
  'storage.v1.VolumeAttributesClass': {
    about: 'Properties of volumes that can be changed while they are in use.',
    fields: {
      driverName: 'CSI driver that the class is for; it cannot be changed.',
      parameters: 'Parameters for the driver; they cannot be changed.',
    },
  },
  'storage.v1.VolumeError': {
    about: 'A failure to attach or detach.',
    fields: {
      time: 'When it happened.',
      message: 'What went wrong; no secrets should be in it.',
      errorCode: 'Code of the gRPC status of the call.',
    },
  },
  'storage.v1.VolumeNodeResources': {
    about: 'Volumes that a node can take.',
    fields: { count: 'Most volumes of the driver that can be on the node at once; unlimited when unset.' },
  },
};
