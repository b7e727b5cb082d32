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
import { kepTestPlan } from './kep-test-plan.ts';
import { openStage, type Stage } from './stage.ts';

/** On the embedded server; `kep-test-plan.real.test.ts` plays the same on real ones. */
describe('KEP-1847 test plan, stand-ins on the embedded API server', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let standIns: readonly RunningController[] = [];

  beforeAll(async () => {
    // No claim protection runs here: what is deleted is to go.
    plane = await startEmbeddedControlPlane({
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      tls: false,
    });
    standIns = [
      await startController(plane, statefulSetController({ retention: false })),
      await startController(plane, garbageCollector),
      await startController(plane, kubelet()),
    ];
    stage = await openStage(plane);
    await stage.startController({});
  }, 60_000);

  afterAll(async () => {
    await stage.close();
    await Promise.all(standIns.map((standIn) => standIn.stop()));
    await plane.stop();
  }, 60_000);

  kepTestPlan(() => stage, 'field');
});
