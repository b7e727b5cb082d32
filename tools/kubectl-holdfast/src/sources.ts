/** The sources of the rules, in a form that people can look up. */
export const sources = {
  retention:
    'KEP-1847, StatefulSetAutoDeletePVC: alpha in Kubernetes 1.23, on by default from 1.27, always on from 1.32',
  holdfastRetention:
    'Holdfast statefulset-pvc-retention, README "The four cases" and "When a claim is left alone"',
  undoWindow: 'Holdfast statefulset-pvc-retention, gate DeletionGracePeriod (alpha)',
  missedScaleDown: 'Holdfast statefulset-pvc-retention, gate CollectMissedScaleDown (alpha)',
  garbageCollection: 'Kubernetes garbage collector: deletes an object when none of its owners is left',
  orphaning: 'Kubernetes garbage collector: --cascade=orphan takes the owner off the dependents',
  claimProtection: 'Storage object in use protection, kubernetes.io/pvc-protection: GA in Kubernetes 1.11',
  volumeProtection: 'Storage object in use protection, kubernetes.io/pv-protection: GA in Kubernetes 1.11',
  reclaim:
    'KEP-2644, HonorPVReclaimPolicy: alpha in Kubernetes 1.23, on by default from 1.31, always on from 1.33',
  reclaimPolicy: "Kubernetes: a volume's persistentVolumeReclaimPolicy says what becomes of its storage",
  binding: 'Kubernetes: a claim is bound to one volume, which then belongs to it alone',
  provisioning:
    "Kubernetes: the provisioner of a claim's class makes its volume, when the class's volumeBindingMode says",
  reclaimWindow: 'Holdfast pv-reclaim-honor, gate ReclaimGracePeriod (alpha)',
  defaultClass:
    'KEP-3333, RetroactiveDefaultStorageClass: alpha in Kubernetes 1.25, on by default from 1.26, always on from 1.28',
  attachment: 'external-attacher: a volume stays while it is attached to a node',
  finalizers: 'Kubernetes: an object that is deleted stays until its last finalizer is taken off',
} as const;

export type SourceName = keyof typeof sources;
