import { afterAll, beforeAll, describe } from '@jest/globals';
import {
  garbageCollector,
  kubelet,
  startController,
  startEmbeddedControlPlane,
  statefulSetController,
  type ControlPlane,
  type RunningController,
} from '@holdfast/testing';
import { openStage, type Stage } from './stage.ts';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { undoWindowPlan } from './undo-window-plan.ts';

/** On the embedded server; `undo-window-plan.real.test.ts` plays the same on real ones. */
describe.each([{ retention: true }, { retention: false }])(
  'undo windows, stock controller with retention $retention',
  ({ retention }) => {
    let plane: ControlPlane;
    let stage: Stage;
    let standIns: readonly RunningController[] = [];

    beforeAll(async () => {
      plane = await startEmbeddedControlPlane({
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
        tls: false,
      });
      standIns = [
        await startController(plane, statefulSetController({ retention })),
        await startController(plane, garbageCollector),
        await startController(plane, kubelet()),
      ];
      stage = await openStage(plane);
    }, 60_000);

    afterAll(async () => {
      await stage.close();
      await Promise.all(standIns.map((standIn) => standIn.stop()));
      await plane.stop();
    }, 60_000);

    undoWindowPlan(() => stage, retention);
    setDeletionWindowPlan(() => stage, retention);
  },
);
