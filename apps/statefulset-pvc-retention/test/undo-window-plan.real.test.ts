import { describe } from '@jest/globals';
import { controlPlaneMissing, type ControlPlaneOptions } from '@holdfast/testing';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { realStock, useRealStage } from './stock-stage.ts';
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
  const whole = realStock(options);
  const suite = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  suite(`undo windows on ${name}`, () => {
    const stage = useRealStage(whole);

    undoWindowPlan(stage, retains);
    setDeletionWindowPlan(stage, retains);
  });
}
