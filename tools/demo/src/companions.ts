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

/** What a cluster runs besides, by the names that kube-controller-manager has for it. None does what our controllers are for. */
const standIns = {
  // The one of a release whose gate is off.
  'statefulset-controller': statefulSetController({ retention: false }),
  'garbage-collector-controller': garbageCollector,
  'persistentvolume-binder-controller': persistentVolumeBinder,
  'persistentvolume-protection-controller': persistentVolumeProtection,
  kubelet: kubelet(),
} as const satisfies Readonly<Record<string, Controller>>;

export type Companion = keyof typeof standIns;

/** Gates of kube-controller-manager 1.31 that are off, so that what is seen is our controllers' work. */
const gatesOff = { StatefulSetAutoDeletePVC: false, HonorPVReclaimPolicy: false };

/** The companions on a control plane. */
export interface Company {
  /** Starts those that are not there yet; resolves with a line for each, when they work. */
  join(wanted: readonly Companion[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * Stand-ins on the embedded control plane. On a real one kube-controller-manager's own controllers, and a stand-in for the kubelet
 * alone, since there is no machine to run pods.
 */
export function createCompany(plane: EmbeddedControlPlane | RealControlPlane): Company {
  const present = new Set<Companion>();
  const running: RunningController[] = [];

  const joinReal = async (real: RealControlPlane, added: readonly Companion[]): Promise<void> => {
    const controllers = [...present].filter((name) => name !== 'kubelet');
    if (added.some((name) => name !== 'kubelet')) {
      // It takes its list of controllers at its start only.
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
