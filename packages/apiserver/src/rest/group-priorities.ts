/*
 * The priorities with which the API server registers its own groups and versions: the values of
 * groupPriorityMinimum and versionPriority in each APIService.
 */

interface Priority {
  readonly group: number;
  readonly version: number;
}

/**
 * The priorities by group version. The server does not register its own group versions that are missing here.
 */
export const groupPriorities: Readonly<Record<string, Priority>> = {
  v1: { group: 18_000, version: 1 },
  'apps/v1': { group: 17_800, version: 15 },
  'events.k8s.io/v1': { group: 17_750, version: 15 },
  'authentication.k8s.io/v1': { group: 17_700, version: 15 },
  'authorization.k8s.io/v1': { group: 17_600, version: 15 },
  'autoscaling/v1': { group: 17_500, version: 15 },
  'autoscaling/v2': { group: 17_500, version: 30 },
  'batch/v1': { group: 17_400, version: 15 },
  'certificates.k8s.io/v1': { group: 17_300, version: 15 },
  'networking.k8s.io/v1': { group: 17_200, version: 15 },
  'policy/v1': { group: 17_100, version: 15 },
  'rbac.authorization.k8s.io/v1': { group: 17_000, version: 15 },
  'storage.k8s.io/v1': { group: 16_800, version: 15 },
  'admissionregistration.k8s.io/v1': { group: 16_700, version: 15 },
  'apiextensions.k8s.io/v1': { group: 16_700, version: 15 },
  'scheduling.k8s.io/v1': { group: 16_600, version: 15 },
  'coordination.k8s.io/v1': { group: 16_500, version: 15 },
  'node.k8s.io/v1': { group: 16_300, version: 15 },
  'discovery.k8s.io/v1': { group: 16_200, version: 15 },
  'resource.k8s.io/v1': { group: 16_200, version: 21 },
  'flowcontrol.apiserver.k8s.io/v1': { group: 16_100, version: 21 },
};

/** The priority of a group version that a CustomResourceDefinition defines. */
export const customPriority: Priority = { group: 1_000, version: 100 };
