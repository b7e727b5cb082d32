import type { StorageClass } from '@holdfast/core';

/** Whether nothing makes volumes of the class, as of local volumes: an administrator does. */
export function hasNoProvisioner({ provisioner }: StorageClass): boolean {
  return provisioner === 'kubernetes.io/no-provisioner';
}

/** What the provisioner of the class waits for, to be put behind what it does. */
export function whenMade(storageClass: StorageClass): string {
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !hasNoProvisioner(storageClass)
    ? ', once the scheduler has chosen a node for a pod that names the claim'
    : '';
}
