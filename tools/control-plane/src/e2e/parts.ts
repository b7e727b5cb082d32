import type { Lens } from './lens.ts';

/** What one of our controllers takes over, and Kubernetes' own tests of it. */
export interface Part {
  /** Folder below `apps/`. */
  readonly app: 'pvc-protection' | 'statefulset-pvc-retention' | 'retroactive-default-sc';
  /** The controller of kube-controller-manager that is left out where ours runs. */
  readonly stockController: string;
  readonly tests: readonly UpstreamTest[];
}

/** A test of Kubernetes' own suite. */
export interface UpstreamTest {
  /** The full name, as ginkgo reports it: the texts of the containers and of the test, with blanks between them. */
  readonly name: string;
  /** Where ours is played and differs on purpose from what the test compares with. */
  readonly lens?: Lens;
}

/**
 * Ours writes `false`, as KEP-1847 has it and as it knows its own references by; the stock controller writes `true`, and the test compares whole
 * references. So the test reads `true`; everything else about the references, and what becomes of the claims, is as ours made it.
 */
const blockOwnerDeletionRead: Lens = {
  title: 'blockOwnerDeletion of claims read as true',
  resource: 'persistentvolumeclaims',
  apply: (body) => body.replaceAll('"blockOwnerDeletion":false', '"blockOwnerDeletion":true'),
};

const retention = '[sig-apps] StatefulSet Non-retain StatefulSetPersistentVolumeClaimPolicy';
const protection = '[sig-storage] PVC Protection';

const pvcProtection: Part = {
  app: 'pvc-protection',
  stockController: 'persistentvolumeclaim-protection-controller',
  tests: [
    { name: `${protection} Verify "immediate" deletion of a PVC that is not in active use by a pod` },
    { name: `${protection} Verify that PVC in active use by a pod is not removed immediately` },
    {
      name: `${protection} Verify that scheduling of a pod that uses PVC that is being deleted fails and the pod becomes Unschedulable`,
    },
  ],
};

const statefulSetPvcRetention: Part = {
  app: 'statefulset-pvc-retention',
  // 1.36 has no gate StatefulSetAutoDeletePVC any more, so StatefulSets are left to a kube-controller-manager of 1.31 with the gate off.
  stockController: 'statefulset-controller',
  tests: [
    { name: `${retention} should delete PVCs with a WhenDeleted policy` },
    { name: `${retention} should delete PVCs with a OnScaledown policy` },
    { name: `${retention} should not delete PVC with OnScaledown policy if another controller owns the PVC` },
    { name: `${retention} should delete PVCs after adopting pod (WhenDeleted)` },
    { name: `${retention} should delete PVCs after adopting pod (WhenScaled)` },
    {
      name: `${retention} should not delete PVCs when there is another controller`,
      lens: blockOwnerDeletionRead,
    },
  ],
};

const retroactiveDefaultClass: Part = {
  app: 'retroactive-default-sc',
  // It does this itself since 1.28, without a gate since 1.30: the whole binder is left out, and no claim of this test is bound by anyone.
  stockController: 'persistentvolume-binder-controller',
  tests: [
    {
      name: '[sig-storage] Retroactive StorageClass Assignment should assign default StorageClass to PVCs retroactively [Disruptive] [Serial]',
    },
  ],
};

/**
 * What can be replaced at the same time, and whose tests can run side by side: without the binder the first two parts would have no bound
 * claims, and the test of the third takes the default class away from everybody.
 */
export const rounds: readonly (readonly Part[])[] = [
  [pvcProtection, statefulSetPvcRetention],
  [retroactiveDefaultClass],
];
