/** Finalizers that Kubernetes and its storage components put on objects. */
export const finalizers = {
  /** On a claim; stays until no pod uses the claim (storage object in use protection). */
  pvcProtection: 'kubernetes.io/pvc-protection',
  /** On a volume; stays until the volume is no longer bound. */
  pvProtection: 'kubernetes.io/pv-protection',
  /** On a volume of a CSI driver; stays until the driver has deleted the volume (KEP-2644). */
  externalProvisioner: 'external-provisioner.volume.kubernetes.io/finalizer',
  /** On a volume of an in-tree plugin; stays until the plugin has deleted the volume (KEP-2644). */
  pvController: 'kubernetes.io/pv-controller',
} as const;
