import { useSuiteStage } from '@holdfast/scenario';
import {
  garbageCollector,
  kubelet,
  startControlPlane,
  startEmbeddedControlPlane,
  statefulSetController,
  type ControlPlaneOptions,
} from '@holdfast/testing';
import { openStage, type Stage } from './stage.ts';

/** No claim protection runs on these stages: what is deleted is to go. */
const disableAdmissionPlugins = ['StorageObjectInUseProtection'];

/**
 * A stage on the embedded API server, beside stand-ins of the stock controllers.
 *
 * @param retention the StatefulSet controller carries out the field
 */
export function useStandInStage(retention: boolean): () => Stage {
  return useSuiteStage({
    startPlane: () => startEmbeddedControlPlane({ disableAdmissionPlugins, tls: false }),
    openStage,
    standIns: [statefulSetController({ retention }), garbageCollector, kubelet()],
  });
}

/** A real control plane with kube-controller-manager's own StatefulSet controller and garbage collector. */
export function realStock(options: ControlPlaneOptions): ControlPlaneOptions {
  return {
    ...options,
    backend: 'real',
    controllers: ['statefulset-controller', 'garbage-collector-controller'],
    disableAdmissionPlugins,
  };
}

/** A stage on such a control plane; only the kubelet is a stand-in. */
export function useRealStage(options: ControlPlaneOptions): () => Stage {
  return useSuiteStage({
    startPlane: () => startControlPlane(options),
    openStage,
    standIns: [kubelet()],
  });
}
