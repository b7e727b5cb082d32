/** The annotations by which Kubernetes' volume controllers tell each other what they have done. */
export const annotations = {
  /** On a claim: it has been bound. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a volume or claim: the controller, and not the user, set the reference to the other. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: the provisioner that created it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a claim: the provisioner that has to create a volume for it. */
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On a claim: the node that the scheduler has chosen for its first consumer. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a storage class: whether it is the default one. */
  isDefaultClass: 'storageclass.kubernetes.io/is-default-class',
} as const;
