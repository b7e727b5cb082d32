/**
 * The type of a field. A `word` is a string that is the same in many objects, and is stored once for all of
 * them.
 */
export type Scalar = 'string' | 'word' | 'integer' | 'boolean' | 'time' | 'quantity';

/** A field of one of Kubernetes' messages, found under its JSON name. */
export interface WireField {
  /** Field numbers, outermost first: a struct that Go inlines in JSON is a message of its own in protobuf. */
  readonly path: readonly [number, ...number[]];
  readonly type: Scalar | Message;
  readonly form: 'one' | 'list' | 'map';
  /**
   * Whether JSON shows the zero of the field too, as it does for pointers and for fields without `omitempty`.
   * Go writes the zero of a field that is not a pointer into protobuf, but leaves it out of JSON if the field
   * is `omitempty`.
   */
  readonly keepsZero: boolean;
}

/** The fields of one of Kubernetes' messages that can be read, by their JSON names. */
export interface Message {
  readonly [name: string]: WireField;
}

function field(number: number, type: Scalar): WireField {
  return { path: [number], type, form: 'one', keepsZero: false };
}

function kept(number: number, type: Scalar): WireField {
  return { path: [number], type, form: 'one', keepsZero: true };
}

function message(number: number, type: Message): WireField {
  return { path: [number], type, form: 'one', keepsZero: true };
}

function list(number: number, type: Scalar | Message): WireField {
  return { path: [number], type, form: 'list', keepsZero: true };
}

function map(number: number, type: Scalar): WireField {
  return { path: [number], type, form: 'map', keepsZero: true };
}

function inlined(number: number, fields: Message): Message {
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [name, { ...each, path: [number, ...each.path] }]),
  );
}

/*
 * Numbers and pointers are those of k8s.io/api and k8s.io/apimachinery 1.36 (`generated.proto` has the
 * numbers, `types.go` shows pointers and omitempty). They never change once released. Objects are read as
 * JSON if a field is missing here.
 */

const ownerReference: Message = {
  apiVersion: kept(5, 'word'),
  kind: kept(1, 'word'),
  name: kept(3, 'string'),
  uid: kept(4, 'string'),
  controller: kept(6, 'boolean'),
  blockOwnerDeletion: kept(7, 'boolean'),
};

/** `meta/v1 ObjectMeta`. */
export const objectMeta: Message = {
  name: field(1, 'string'),
  generateName: field(2, 'string'),
  namespace: field(3, 'word'),
  selfLink: field(4, 'string'),
  uid: field(5, 'string'),
  resourceVersion: field(6, 'string'),
  generation: field(7, 'integer'),
  creationTimestamp: field(8, 'time'),
  deletionTimestamp: field(9, 'time'),
  deletionGracePeriodSeconds: kept(10, 'integer'),
  labels: map(11, 'string'),
  annotations: map(12, 'string'),
  ownerReferences: list(13, ownerReference),
  finalizers: list(14, 'word'),
};

const labelSelectorRequirement: Message = {
  key: kept(1, 'string'),
  operator: kept(2, 'word'),
  values: list(3, 'string'),
};

const labelSelector: Message = {
  matchLabels: map(1, 'string'),
  matchExpressions: list(2, labelSelectorRequirement),
};

const objectReference: Message = {
  kind: field(1, 'word'),
  namespace: field(2, 'word'),
  name: field(3, 'string'),
  uid: field(4, 'string'),
  apiVersion: field(5, 'word'),
  resourceVersion: field(6, 'string'),
  fieldPath: field(7, 'string'),
};

const secretReference: Message = {
  name: field(1, 'string'),
  namespace: field(2, 'word'),
};

const persistentVolumeClaimVolumeSource: Message = {
  claimName: kept(1, 'string'),
  readOnly: field(2, 'boolean'),
};

const ephemeralVolumeSource: Message = {};

const hostPathVolumeSource: Message = {
  path: kept(1, 'string'),
  type: kept(2, 'string'),
};

const gcePersistentDiskVolumeSource: Message = {
  pdName: kept(1, 'string'),
  fsType: field(2, 'word'),
  partition: field(3, 'integer'),
  readOnly: field(4, 'boolean'),
};

const awsElasticBlockStoreVolumeSource: Message = {
  volumeID: kept(1, 'string'),
  fsType: field(2, 'word'),
  partition: field(3, 'integer'),
  readOnly: field(4, 'boolean'),
};

const nfsVolumeSource: Message = {
  server: kept(1, 'string'),
  path: kept(2, 'string'),
  readOnly: field(3, 'boolean'),
};

const flockerVolumeSource: Message = {
  datasetName: field(1, 'string'),
  datasetUUID: field(2, 'string'),
};

const fcVolumeSource: Message = {
  targetWWNs: list(1, 'string'),
  lun: kept(2, 'integer'),
  fsType: field(3, 'word'),
  readOnly: field(4, 'boolean'),
  wwids: list(5, 'string'),
};

const vsphereVirtualDiskVolumeSource: Message = {
  volumePath: kept(1, 'string'),
  fsType: field(2, 'word'),
  storagePolicyName: field(3, 'string'),
  storagePolicyID: field(4, 'string'),
};

const quobyteVolumeSource: Message = {
  registry: kept(1, 'string'),
  volume: kept(2, 'string'),
  readOnly: field(3, 'boolean'),
  user: field(4, 'string'),
  group: field(5, 'string'),
  tenant: field(6, 'string'),
};

const azureDiskVolumeSource: Message = {
  diskName: kept(1, 'string'),
  diskURI: kept(2, 'string'),
  cachingMode: kept(3, 'string'),
  fsType: kept(4, 'word'),
  readOnly: kept(5, 'boolean'),
  kind: kept(6, 'word'),
};

const photonPersistentDiskVolumeSource: Message = {
  pdID: kept(1, 'string'),
  fsType: field(2, 'word'),
};

const portworxVolumeSource: Message = {
  volumeID: kept(1, 'string'),
  fsType: field(2, 'word'),
  readOnly: field(3, 'boolean'),
};

const volume: Message = {
  name: kept(1, 'string'),
  ...inlined(2, {
    persistentVolumeClaim: message(10, persistentVolumeClaimVolumeSource),
    ephemeral: message(29, ephemeralVolumeSource),
  }),
};

const podSpec: Message = {
  volumes: list(1, volume),
  restartPolicy: field(3, 'word'),
  terminationGracePeriodSeconds: kept(4, 'integer'),
  activeDeadlineSeconds: kept(5, 'integer'),
  dnsPolicy: field(6, 'word'),
  nodeSelector: map(7, 'string'),
  serviceAccountName: field(8, 'word'),
  serviceAccount: field(9, 'word'),
  automountServiceAccountToken: kept(21, 'boolean'),
  nodeName: field(10, 'word'),
  hostNetwork: field(11, 'boolean'),
  hostPID: field(12, 'boolean'),
  hostIPC: field(13, 'boolean'),
  shareProcessNamespace: kept(27, 'boolean'),
  hostname: field(16, 'string'),
  subdomain: field(17, 'string'),
  schedulerName: field(19, 'word'),
  priorityClassName: field(24, 'word'),
  priority: kept(25, 'integer'),
  runtimeClassName: kept(29, 'string'),
  enableServiceLinks: kept(30, 'boolean'),
  preemptionPolicy: kept(31, 'string'),
  overhead: map(32, 'quantity'),
  setHostnameAsFQDN: kept(35, 'boolean'),
  hostUsers: kept(37, 'boolean'),
  hostnameOverride: kept(41, 'string'),
};

const podCondition: Message = {
  type: kept(1, 'word'),
  status: kept(2, 'word'),
  lastProbeTime: field(3, 'time'),
  lastTransitionTime: field(4, 'time'),
  reason: field(5, 'word'),
  message: field(6, 'string'),
  observedGeneration: field(7, 'integer'),
};

const containerStateRunning: Message = {
  startedAt: field(1, 'time'),
};

const containerState: Message = {
  running: message(2, containerStateRunning),
};

const containerStatus: Message = {
  name: kept(1, 'string'),
  state: message(2, containerState),
  ready: kept(4, 'boolean'),
  restartCount: kept(5, 'integer'),
};

const podStatus: Message = {
  conditions: list(2, podCondition),
  observedGeneration: field(17, 'integer'),
  phase: field(1, 'word'),
  message: field(3, 'string'),
  reason: field(4, 'string'),
  nominatedNodeName: field(11, 'string'),
  hostIP: field(5, 'word'),
  podIP: field(6, 'string'),
  startTime: field(7, 'time'),
  qosClass: field(9, 'word'),
  resize: field(14, 'string'),
  allocatedResources: map(19, 'quantity'),
  containerStatuses: list(8, containerStatus),
  initContainerStatuses: list(10, containerStatus),
  ephemeralContainerStatuses: list(13, containerStatus),
};

const pod: Message = {
  metadata: message(1, objectMeta),
  spec: message(2, podSpec),
  status: message(3, podStatus),
};

const volumeResourceRequirements: Message = {
  limits: map(1, 'quantity'),
  requests: map(2, 'quantity'),
};

const typedLocalObjectReference: Message = {
  apiGroup: kept(1, 'string'),
  kind: kept(2, 'word'),
  name: kept(3, 'string'),
};

const typedObjectReference: Message = {
  apiGroup: kept(1, 'string'),
  kind: kept(2, 'word'),
  name: kept(3, 'string'),
  namespace: kept(4, 'word'),
};

const persistentVolumeClaimSpec: Message = {
  accessModes: list(1, 'word'),
  selector: message(4, labelSelector),
  resources: message(2, volumeResourceRequirements),
  volumeName: field(3, 'string'),
  storageClassName: kept(5, 'word'),
  volumeMode: kept(6, 'word'),
  dataSource: message(7, typedLocalObjectReference),
  dataSourceRef: message(8, typedObjectReference),
  volumeAttributesClassName: kept(9, 'string'),
};

const persistentVolumeClaimCondition: Message = {
  type: kept(1, 'word'),
  status: kept(2, 'word'),
  lastProbeTime: field(3, 'time'),
  lastTransitionTime: field(4, 'time'),
  reason: field(5, 'word'),
  message: field(6, 'string'),
};

const persistentVolumeClaimStatus: Message = {
  conditions: list(4, persistentVolumeClaimCondition),
  phase: field(1, 'word'),
  accessModes: list(2, 'word'),
  capacity: map(3, 'quantity'),
  allocatedResources: map(5, 'quantity'),
  allocatedResourceStatuses: map(7, 'string'),
  currentVolumeAttributesClassName: kept(8, 'string'),
};

const persistentVolumeClaim: Message = {
  metadata: message(1, objectMeta),
  spec: message(2, persistentVolumeClaimSpec),
  status: message(3, persistentVolumeClaimStatus),
};

const glusterfsPersistentVolumeSource: Message = {
  endpoints: kept(1, 'string'),
  path: kept(2, 'string'),
  readOnly: field(3, 'boolean'),
  endpointsNamespace: kept(4, 'string'),
};

const rbdPersistentVolumeSource: Message = {
  monitors: list(1, 'string'),
  image: kept(2, 'string'),
  fsType: field(3, 'word'),
  pool: field(4, 'string'),
  user: field(5, 'string'),
  keyring: field(6, 'string'),
  secretRef: message(7, secretReference),
  readOnly: field(8, 'boolean'),
};

const iscsiPersistentVolumeSource: Message = {
  targetPortal: kept(1, 'string'),
  iqn: kept(2, 'string'),
  lun: kept(3, 'integer'),
  iscsiInterface: field(4, 'string'),
  fsType: field(5, 'word'),
  readOnly: field(6, 'boolean'),
  portals: list(7, 'string'),
  chapAuthDiscovery: field(8, 'boolean'),
  chapAuthSession: field(11, 'boolean'),
  secretRef: message(10, secretReference),
  initiatorName: kept(12, 'string'),
};

const cinderPersistentVolumeSource: Message = {
  volumeID: kept(1, 'string'),
  fsType: field(2, 'word'),
  readOnly: field(3, 'boolean'),
  secretRef: message(4, secretReference),
};

const cephFSPersistentVolumeSource: Message = {
  monitors: list(1, 'string'),
  path: field(2, 'string'),
  user: field(3, 'string'),
  secretFile: field(4, 'string'),
  secretRef: message(5, secretReference),
  readOnly: field(6, 'boolean'),
};

const flexPersistentVolumeSource: Message = {
  driver: kept(1, 'word'),
  fsType: field(2, 'word'),
  secretRef: message(3, secretReference),
  readOnly: field(4, 'boolean'),
  options: map(5, 'string'),
};

const azureFilePersistentVolumeSource: Message = {
  secretName: kept(1, 'string'),
  shareName: kept(2, 'string'),
  readOnly: field(3, 'boolean'),
  secretNamespace: kept(4, 'string'),
};

const scaleIOPersistentVolumeSource: Message = {
  gateway: kept(1, 'string'),
  system: kept(2, 'string'),
  secretRef: message(3, secretReference),
  sslEnabled: field(4, 'boolean'),
  protectionDomain: field(5, 'string'),
  storagePool: field(6, 'string'),
  storageMode: field(7, 'string'),
  volumeName: field(8, 'string'),
  fsType: field(9, 'word'),
  readOnly: field(10, 'boolean'),
};

const localVolumeSource: Message = {
  path: kept(1, 'string'),
  fsType: kept(2, 'word'),
};

const storageOSPersistentVolumeSource: Message = {
  volumeName: field(1, 'string'),
  volumeNamespace: field(2, 'string'),
  fsType: field(3, 'word'),
  readOnly: field(4, 'boolean'),
  secretRef: message(5, objectReference),
};

const csiPersistentVolumeSource: Message = {
  driver: kept(1, 'word'),
  volumeHandle: kept(2, 'string'),
  readOnly: field(3, 'boolean'),
  fsType: field(4, 'word'),
  volumeAttributes: map(5, 'string'),
  controllerPublishSecretRef: message(6, secretReference),
  nodeStageSecretRef: message(7, secretReference),
  nodePublishSecretRef: message(8, secretReference),
  controllerExpandSecretRef: message(9, secretReference),
  nodeExpandSecretRef: message(10, secretReference),
};

/** Only whether there is a selector: if its terms are needed, objects are read as JSON. */
const volumeNodeAffinity: Message = { required: message(1, {}) };

const persistentVolumeSpec: Message = {
  capacity: map(1, 'quantity'),
  accessModes: list(3, 'word'),
  claimRef: message(4, objectReference),
  persistentVolumeReclaimPolicy: field(5, 'word'),
  storageClassName: field(6, 'word'),
  mountOptions: list(7, 'string'),
  volumeMode: kept(8, 'word'),
  nodeAffinity: message(9, volumeNodeAffinity),
  volumeAttributesClassName: kept(10, 'string'),
  ...inlined(2, {
    gcePersistentDisk: message(1, gcePersistentDiskVolumeSource),
    awsElasticBlockStore: message(2, awsElasticBlockStoreVolumeSource),
    hostPath: message(3, hostPathVolumeSource),
    glusterfs: message(4, glusterfsPersistentVolumeSource),
    nfs: message(5, nfsVolumeSource),
    rbd: message(6, rbdPersistentVolumeSource),
    iscsi: message(7, iscsiPersistentVolumeSource),
    cinder: message(8, cinderPersistentVolumeSource),
    cephfs: message(9, cephFSPersistentVolumeSource),
    fc: message(10, fcVolumeSource),
    flocker: message(11, flockerVolumeSource),
    flexVolume: message(12, flexPersistentVolumeSource),
    azureFile: message(13, azureFilePersistentVolumeSource),
    vsphereVolume: message(14, vsphereVirtualDiskVolumeSource),
    quobyte: message(15, quobyteVolumeSource),
    azureDisk: message(16, azureDiskVolumeSource),
    photonPersistentDisk: message(17, photonPersistentDiskVolumeSource),
    portworxVolume: message(18, portworxVolumeSource),
    scaleIO: message(19, scaleIOPersistentVolumeSource),
    local: message(20, localVolumeSource),
    storageos: message(21, storageOSPersistentVolumeSource),
    csi: message(22, csiPersistentVolumeSource),
  }),
};

const persistentVolumeStatus: Message = {
  phase: field(1, 'word'),
  message: field(2, 'string'),
  reason: field(3, 'string'),
  lastPhaseTransitionTime: field(4, 'time'),
};

const persistentVolume: Message = {
  metadata: message(1, objectMeta),
  spec: message(2, persistentVolumeSpec),
  status: message(3, persistentVolumeStatus),
};

const storageClass: Message = {
  metadata: message(1, objectMeta),
  provisioner: kept(2, 'word'),
  parameters: map(3, 'string'),
  reclaimPolicy: kept(4, 'word'),
  mountOptions: list(5, 'string'),
  allowVolumeExpansion: kept(6, 'boolean'),
  volumeBindingMode: kept(7, 'word'),
};

const volumeAttachmentSource: Message = {
  persistentVolumeName: kept(1, 'string'),
  inlineVolumeSpec: message(2, persistentVolumeSpec),
};

const volumeAttachmentSpec: Message = {
  attacher: kept(1, 'word'),
  source: message(2, volumeAttachmentSource),
  nodeName: kept(3, 'word'),
};

const volumeAttachmentStatus: Message = {
  attached: kept(1, 'boolean'),
  attachmentMetadata: map(2, 'string'),
};

const volumeAttachment: Message = {
  metadata: message(1, objectMeta),
  spec: message(2, volumeAttachmentSpec),
  status: message(3, volumeAttachmentStatus),
};

const statefulSetPersistentVolumeClaimRetentionPolicy: Message = {
  whenDeleted: field(1, 'word'),
  whenScaled: field(2, 'word'),
};

const statefulSetOrdinals: Message = {
  start: kept(1, 'integer'),
};

const statefulSetSpec: Message = {
  replicas: kept(1, 'integer'),
  selector: message(2, labelSelector),
  volumeClaimTemplates: list(4, persistentVolumeClaim),
  serviceName: kept(5, 'string'),
  podManagementPolicy: field(6, 'word'),
  revisionHistoryLimit: kept(8, 'integer'),
  minReadySeconds: field(9, 'integer'),
  persistentVolumeClaimRetentionPolicy: message(10, statefulSetPersistentVolumeClaimRetentionPolicy),
  ordinals: message(11, statefulSetOrdinals),
};

const statefulSetCondition: Message = {
  type: kept(1, 'word'),
  status: kept(2, 'word'),
  lastTransitionTime: field(3, 'time'),
  reason: field(4, 'word'),
  message: field(5, 'string'),
};

const statefulSetStatus: Message = {
  conditions: list(10, statefulSetCondition),
  observedGeneration: field(1, 'integer'),
  replicas: kept(2, 'integer'),
  readyReplicas: field(3, 'integer'),
  currentReplicas: field(4, 'integer'),
  updatedReplicas: field(5, 'integer'),
  currentRevision: field(6, 'string'),
  updateRevision: field(7, 'string'),
  collisionCount: kept(9, 'integer'),
  availableReplicas: kept(11, 'integer'),
};

const statefulSet: Message = {
  metadata: message(1, objectMeta),
  spec: message(2, statefulSetSpec),
  status: message(3, statefulSetStatus),
};

const statusCause: Message = {
  reason: field(1, 'string'),
  message: field(2, 'string'),
  field: field(3, 'string'),
};

const statusDetails: Message = {
  name: field(1, 'string'),
  group: field(2, 'string'),
  kind: field(3, 'string'),
  causes: list(4, statusCause),
  retryAfterSeconds: field(5, 'integer'),
  uid: field(6, 'string'),
};

/** `meta/v1 Status`: what failed. */
export const status: Message = {
  status: field(2, 'string'),
  message: field(3, 'string'),
  reason: field(4, 'string'),
  details: message(5, statusDetails),
  code: field(6, 'integer'),
};

/** The metadata, which has the same number in every kind. */
export const anyObject: Message = { metadata: message(1, objectMeta) };

/** `meta/v1 ListMeta`. */
export const listMeta: Message = {
  resourceVersion: field(2, 'string'),
  continue: field(3, 'string'),
  remainingItemCount: kept(4, 'integer'),
};

/** The kinds that can be read as protobuf, by apiVersion and kind. */
export const kinds: ReadonlyMap<string, Message> = new Map([
  ['v1 PersistentVolume', persistentVolume],
  ['v1 PersistentVolumeClaim', persistentVolumeClaim],
  ['v1 Pod', pod],
  ['apps/v1 StatefulSet', statefulSet],
  ['storage.k8s.io/v1 StorageClass', storageClass],
  ['storage.k8s.io/v1 VolumeAttachment', volumeAttachment],
]);
