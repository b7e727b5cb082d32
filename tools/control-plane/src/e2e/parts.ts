import type { Lens } from './lens.ts';

/** What one of our controllers does in place of Kubernetes, and Kubernetes' own tests of it. */
export interface Part {
  /** The folder below `apps/`. */
  readonly app: 'pvc-protection' | 'statefulset-pvc-retention' | 'retroactive-default-sc';
  /** The controller of kube-controller-manager that is turned off when ours runs. */
  readonly stockController: string;
  readonly tests: readonly UpstreamTest[];
}

/** A test of Kubernetes' own suite. */
export interface UpstreamTest {
  /** The full name as ginkgo reports it: the texts of the containers and of the test, separated by blanks. */
  readonly name: string;
  /** The lens for our controller, if it intentionally differs from what the test compares with. */
  readonly lens?: Lens;
}

/**
 * Our controller writes `false`, as KEP-1847 says and by which it recognizes its own references. The stock
 * controller writes `true`, and the test compares whole references. So the lens lets the test read `true`;
 * everything else about the references, and what happens to the claims, is the work of our controller.
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
  // 1.36 no longer has the gate StatefulSetAutoDeletePVC, so the StatefulSet controller of
  // kube-controller-manager 1.31 runs with the gate off.
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
  // Since 1.28 the binder does this itself, since 1.30 without a gate. So the whole binder is turned off, and
  // nothing binds the claims of this test.
  stockController: 'persistentvolume-binder-controller',
  tests: [
    {
      name: '[sig-storage] Retroactive StorageClass Assignment should assign default StorageClass to PVCs retroactively [Disruptive] [Serial]',
    },
  ],
};

/**
 * The parts that can be replaced at the same time, and whose tests can run concurrently. Without the binder,
 * the first two parts would have no bound claims; and the test of the third part removes the default class
 * for all tests.
 */
export const rounds: readonly (readonly Part[])[] = [
  [pvcProtection, statefulSetPvcRetention],
  [retroactiveDefaultClass],
];
