import type { StorageClass } from '@holdfast/core';

/** Whether nothing makes volumes of the class, as of local volumes: an administrator does. */
export function hasNoProvisioner({ provisioner }: StorageClass): boolean {
  return provisioner === 'kubernetes.io/no-provisioner';
}
