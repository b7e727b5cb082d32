import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { StagedController } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  kubelet,
  startController,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type RunningController,
} from '@holdfast/testing';
import { givesWay, learnsThatItIsAlone } from './gives-way.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { handOf, openStage, type Policy, type Stage } from './stage.ts';

const common: ControlPlaneOptions = {
  backend: 'real',
  controllers: ['statefulset-controller', 'garbage-collector-controller'],
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
};
const off = { StatefulSetAutoDeletePVC: false };

function suite(name: string, options: ControlPlaneOptions, tests: (stage: () => Stage) => void): void {
  const whole = { ...common, ...options };
  const run = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  run(`beside kube-controller-manager ${name}`, () => {
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

    tests(() => stage);
  });
}

suite('1.36', { release: '1.36' }, (stage) => {
  let ours: StagedController;

  beforeAll(async () => {
    ours = await stage().startController({ yieldToStockController: true });
  });

  givesWay(stage, () => ours);
});

suite('1.31, gate off there alone', { release: '1.31', controllerManagerFeatureGates: off }, (stage) => {
  learnsThatItIsAlone(stage);
});

suite(
  '1.31, gate off in kube-apiserver too',
  { release: '1.31', controllerManagerFeatureGates: off, apiServerFeatureGates: off },
  (stage) => {
    test('S8: the field is dropped, annotations say Delete -> owned at once', async () => {
      const ours = await stage().startController({
        yieldToStockController: true,
        clock: createLeapingClock(),
      });
      const hand = handOf(stage(), await stage().namespace(), 'annotations');
      const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
      await hand.createSet({ replicas: 1, policy });
      await hand.owned('data-web-0', 'StatefulSet web*');
      await ours.stop();
    }, 60_000);
  },
);
