import {
  garbageCollector,
  kubelet,
  persistentVolumeBinder,
  persistentVolumeProtection,
  startController,
  statefulSetController,
  type Controller,
  type EmbeddedControlPlane,
  type RealControlPlane,
  type RunningController,
} from '@holdfast/testing';

/**
 * The stock controllers that the demo's cluster runs, by kube-controller-manager's names. None of them does
 * the work of our controllers.
 */
const standIns = {
  // Behaves like that of a release whose gate is off.
  'statefulset-controller': statefulSetController({ retention: false }),
  'garbage-collector-controller': garbageCollector,
  'persistentvolume-binder-controller': persistentVolumeBinder,
  'persistentvolume-protection-controller': persistentVolumeProtection,
  kubelet: kubelet(),
} as const satisfies Readonly<Record<string, Controller>>;

export type Companion = keyof typeof standIns;

/**
 * Feature gates of kube-controller-manager 1.31 that are turned off, so that what the demo shows is the work
 * of our controllers.
 */
const gatesOff = { StatefulSetAutoDeletePVC: false, HonorPVReclaimPolicy: false };

/** The companions that run on a control plane. */
export interface Company {
  /** Starts the companions that do not run yet. Resolves with a line for each of them when they work. */
  join(wanted: readonly Companion[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * On the embedded control plane, all companions are stand-ins. On a real one they are
 * kube-controller-manager's own controllers; only the kubelet is a stand-in, since there is no machine to run
 * pods.
 */
export function createCompany(plane: EmbeddedControlPlane | RealControlPlane): Company {
  const present = new Set<Companion>();
  const running: RunningController[] = [];

  const joinReal = async (real: RealControlPlane, added: readonly Companion[]): Promise<void> => {
    const controllers = [...present].filter((name) => name !== 'kubelet');
    if (added.some((name) => name !== 'kubelet')) {
      // It reads its list of controllers only when it starts.
      await real.stopControllerManager();
      await real.startControllerManager({ controllers, featureGates: gatesOff });
    }
  };

  return {
    join: async (wanted) => {
      const added = wanted.filter((name) => !present.has(name));
      for (const name of added) {
        present.add(name);
      }
      if (plane.backend === 'real') {
        await joinReal(plane, added);
      }
      const isStandIn = (name: Companion): boolean => plane.backend === 'embedded' || name === 'kubelet';
      for (const name of added.filter(isStandIn)) {
        running.push(await startController(plane, standIns[name]));
      }
      return added.map((name) => `${name} joins (${isStandIn(name) ? 'stand-in' : 'the real one'})`);
    },
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}
