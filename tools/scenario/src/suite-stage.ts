import { afterAll, beforeAll } from '@jest/globals';
import { startController, type Controller, type ControlPlane } from '@holdfast/testing';
import type { Stage } from './stage.ts';

/** How the stage of a suite is opened. */
export interface SuiteStageOptions<Plane extends ControlPlane, Options> {
  startPlane(): Promise<Plane>;
  openStage(plane: Plane): Promise<Stage<Options>>;
  /** The stock controllers that run beside the app. Default none. */
  readonly standIns?: readonly Controller[];
}

/**
 * Opens a stage on a control plane of its own before the tests of the suite, and ends both after them.
 *
 * @returns a function that returns the stage once the first test or later hook runs
 */
export function useSuiteStage<Plane extends ControlPlane, Options>({
  startPlane,
  openStage,
  standIns = [],
}: SuiteStageOptions<Plane, Options>): () => Stage<Options> {
  const endings: (() => Promise<void>)[] = [];
  let stage: Stage<Options> | undefined;

  beforeAll(async () => {
    const plane = await startPlane();
    endings.push(() => plane.stop());
    for (const standIn of standIns) {
      const running = await startController(plane, standIn);
      endings.push(() => running.stop());
    }
    const opened = await openStage(plane);
    endings.push(() => opened.close());
    stage = opened;
  }, 120_000);

  afterAll(async () => {
    for (const end of endings.splice(0).reverse()) {
      await end();
    }
  }, 60_000);

  return () => {
    if (stage === undefined) {
      throw new Error('the stage opens before the first test: use it in tests and hooks only');
    }
    return stage;
  };
}
