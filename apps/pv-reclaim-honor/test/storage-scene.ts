import type { ControlPlane } from '@holdfast/testing';
import { openStage, openStorage, startBinder, type Stage, type Storage } from './stage.ts';

/** A stage on a control plane of its own, beside a CSI driver. */
export interface StorageScene<Plane extends ControlPlane> {
  readonly plane: Plane;
  readonly stage: Stage;
  readonly storage: Storage;
}

/**
 * `afterEach` for scenes of one test, `afterAll` for those of a whole suite. A hook that must run before they end
 * stands above.
 */
type After = (end: () => Promise<void>, timeout: number) => void;

type OpenScene = <Plane extends ControlPlane>(
  starting: Promise<Plane>,
  driver?: Parameters<typeof openStorage>[0],
) => Promise<StorageScene<Plane>>;

/** Opens scenes in which claims are bound to volumes, by the real binder or its stand-in. */
export function useBinderScenes(after: After): OpenScene {
  return useScenes(after, (plane) => startBinder(plane));
}

/** Opens scenes without a binder: the test itself writes the phases of volumes. */
export function useStorageScenes(after: After): OpenScene {
  return useScenes(after, () => Promise.resolve({ stop: () => Promise.resolve() }));
}

function useScenes(
  after: After,
  startBeside: (plane: ControlPlane) => Promise<{ stop(): Promise<void> }>,
): OpenScene {
  const endings: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of endings.splice(0).reverse()) {
      await end();
    }
  }, 60_000);

  return async (starting, driver) => {
    const plane = await starting;
    endings.push(() => plane.stop());
    const storage = await openStorage(driver);
    endings.push(() => storage.close());
    const beside = await startBeside(plane);
    endings.push(() => beside.stop());
    const stage = await openStage(plane);
    endings.push(() => stage.close());
    return { plane, stage, storage };
  };
}
