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
import { openStage, type Stage } from './stage.ts';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { undoWindowPlan } from './undo-window-plan.ts';

const off = { StatefulSetAutoDeletePVC: false };
const places: readonly {
  readonly name: string;
  readonly retains: boolean;
  readonly options: ControlPlaneOptions;
}[] = [
  { name: '1.36', retains: true, options: { release: '1.36' } },
  {
    name: '1.31, gate off in kube-controller-manager',
    retains: false,
    options: { release: '1.31', controllerManagerFeatureGates: off },
  },
];

for (const { name, retains, options } of places) {
  const whole: ControlPlaneOptions = {
    ...options,
    backend: 'real',
    controllers: ['statefulset-controller', 'garbage-collector-controller'],
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  };
  const suite = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  suite(`undo windows on ${name}`, () => {
    let plane: ControlPlane;
    let stage: Stage;
    let nodeAgent: RunningController | undefined;

    beforeAll(async () => {
      plane = await startControlPlane(whole);
      nodeAgent = await startController(plane, kubelet());
      stage = await openStage(plane);
    }, 90_000);

    afterAll(async () => {
      await stage.close();
      await nodeAgent?.stop();
      await plane.stop();
    }, 60_000);

    undoWindowPlan(() => stage, retains);
    setDeletionWindowPlan(() => stage, retains);
  });
}
