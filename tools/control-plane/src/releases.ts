import type { KubernetesRelease } from '@holdfast/testing/binaries';

/** A release of Kubernetes for which `../go` has a module file, `kubernetes-<name>.mod`. */
export interface Release {
  readonly name: KubernetesRelease;
  /** The tag, as the binaries report it and the module file requires it. */
  readonly version: `v${number}.${number}.${number}`;
  /** The oldest Go, `major.minor`, that its module file accepts. */
  readonly minimumGo: `${number}.${number}`;
}

export const releases: Readonly<Record<KubernetesRelease, Release>> = {
  '1.36': { name: '1.36', version: 'v1.36.3', minimumGo: '1.26' },
  // An old release in which StatefulSetAutoDeletePVC and HonorPVReclaimPolicy can still be turned off.
  '1.31': { name: '1.31', version: 'v1.31.0', minimumGo: '1.22' },
};
