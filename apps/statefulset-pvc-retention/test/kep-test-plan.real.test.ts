import { afterAll, beforeAll, describe } from '@jest/globals';
import {
  controlPlaneMissing,
  kubelet,
  startController,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type RunningController,
} from '@holdfast/testing';
import { kepTestPlan } from './kep-test-plan.ts';
import { openStage, type PolicyPlace, type Stage } from './stage.ts';

const controllers = ['statefulset-controller', 'garbage-collector-controller'];
const off = { StatefulSetAutoDeletePVC: false };

interface Place {
  readonly name: string;
  readonly place: PolicyPlace;
  readonly alone: boolean;
  readonly options: ControlPlaneOptions;
}

/** kube-controller-manager's own StatefulSet controller and garbage collector; only the kubelet is a stand-in. */
const places: readonly Place[] = [
  {
    name: '1.31, gate off in kube-controller-manager: ours does the work',
    place: 'field',
    alone: true,
    options: { release: '1.31', controllerManagerFeatureGates: off },
  },
  {
    name: '1.31, gate off in kube-apiserver too: the field is dropped, annotations serve',
    place: 'annotations',
    alone: true,
    options: { release: '1.31', controllerManagerFeatureGates: off, apiServerFeatureGates: off },
  },
  {
    name: '1.36: the stock controller does it as well',
    place: 'field',
    alone: false,
    options: { release: '1.36' },
  },
];

for (const { name, place, alone, options } of places) {
  const whole: ControlPlaneOptions = {
    ...options,
    backend: 'real',
    controllers,
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  };
  const suite = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  suite(`KEP-1847 test plan, ${name}`, () => {
    let plane: ControlPlane;
    let stage: Stage;
    let nodeAgent: RunningController | undefined;

    beforeAll(async () => {
      plane = await startControlPlane(whole);
      nodeAgent = await startController(plane, kubelet());
      stage = await openStage(plane);
      await stage.startController(alone ? {} : { yieldToStockController: true });
    }, 90_000);

    afterAll(async () => {
      await stage.close();
      await nodeAgent?.stop();
      await plane.stop();
    }, 60_000);

    kepTestPlan(() => stage, place, alone);
  });
}
