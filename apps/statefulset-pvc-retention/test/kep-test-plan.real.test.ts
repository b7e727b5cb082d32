import { beforeAll, describe } from '@jest/globals';
import { controlPlaneMissing, type ControlPlaneOptions } from '@holdfast/testing';
import { kepTestPlan } from './kep-test-plan.ts';
import type { PolicyPlace } from './stage.ts';
import { realStock, useRealStage } from './stock-stage.ts';

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
  const whole = realStock(options);
  const suite = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  suite(`KEP-1847 test plan, ${name}`, () => {
    const stage = useRealStage(whole);

    beforeAll(async () => {
      await stage().startController(alone ? {} : { yieldToStockController: true });
    });

    kepTestPlan(stage, place, alone);
  });
}
