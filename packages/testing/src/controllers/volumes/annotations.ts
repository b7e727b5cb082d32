/** The annotations in which Kubernetes' volume controllers record what they did, for each other. */
export const annotations = {
  /** On a claim: it was bound once. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a volume or claim: the reference to the other was set by the controller, not by the user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: who provisioned it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a claim: who is to provision a volume for it. */
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On a claim: the node the scheduler has chosen for its first consumer. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a storage class: it is the default one. */
  isDefaultClass: 'storageclass.kubernetes.io/is-default-class',
} as const;
