import { beforeAll, describe, test } from '@jest/globals';
import type { StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, type ControlPlaneOptions } from '@holdfast/testing';
import { givesWay, learnsThatItIsAlone } from './gives-way.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { handOf, type Policy, type Stage } from './stage.ts';
import { realStock, useRealStage } from './stock-stage.ts';

const off = { StatefulSetAutoDeletePVC: false };

function suite(name: string, options: ControlPlaneOptions, tests: (stage: () => Stage) => void): void {
  const whole = realStock(options);
  const run = controlPlaneMissing(whole) === undefined ? describe : describe.skip;
  run(`beside kube-controller-manager ${name}`, () => {
    tests(useRealStage(whole));
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
