import { afterAll, beforeAll, describe } from '@jest/globals';
import { connect, loadKubeConfig, type ConnectedClient } from '@holdfast/runtime';
import { openStage, type Stage, type StagedApp } from '@holdfast/scenario';
import {
  allIdle,
  chosenBackend,
  controlPlaneMissing,
  garbageCollector,
  kubelet,
  startController,
  startControlPlane,
  type ControlPlaneOptions,
} from '@holdfast/testing';
import { Registry } from 'prom-client';

type StandIn = Parameters<typeof startController>[1];

export interface SceneOptions<Options> {
  /** Of the real control plane, where that is chosen. */
  readonly real?: ControlPlaneOptions;
  /** On both. */
  readonly common: ControlPlaneOptions;
  /** Stand-ins for stock controllers on the embedded plane, besides the garbage collector. */
  readonly standIns: readonly StandIn[];
  readonly app: StagedApp<Options>;
  /** The app is started with these; undefined: it is not. */
  readonly started: Options | undefined;
}

/** A control plane with what plays around the sets of the tests. Nothing of it can be had before the first test. */
export interface Scene<Options> {
  readonly stage: Stage<Options>;
  /** The client of the tool. */
  readonly client: ConnectedClient;
  /**
   * Resolves when the stand-ins have done all that follows from what they have seen, such as making a set the owner of
   * its claims, which takes longer than making its pods. Resolves at once on a real control plane.
   */
  standInsIdle(): Promise<void>;
}

/**
 * A suite on one control plane, on which a kubelet runs pods; skipped where the plane is not to be had.
 *
 * @param tests declares the tests.
 */
export function describeScene<Options>(
  name: string,
  { real = {}, common, standIns, app, started }: SceneOptions<Options>,
  tests: (scene: Scene<Options>) => void,
): void {
  const isEmbedded = chosenBackend() === 'embedded';
  const options: ControlPlaneOptions = { ...(isEmbedded ? { tls: false } : real), ...common };
  const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;
  suite(name, () => {
    const opened: Partial<Record<keyof Scene<Options>, unknown>> = {};
    const ends: (() => Promise<void>)[] = [];
    const working: Awaited<ReturnType<typeof startController>>[] = [];

    beforeAll(async () => {
      const plane = await startControlPlane(options);
      ends.push(() => plane.stop());
      for (const each of [...(isEmbedded ? [...standIns, garbageCollector] : []), kubelet()]) {
        const running = await startController(plane, each);
        working.push(running);
        ends.push(() => running.stop());
      }
      const stage = await openStage(plane, app);
      ends.push(() => stage.close());
      const client = connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig: stage.kubeconfigFile, insecureHttp: true }),
        registry: new Registry(),
        program: 'kubectl-holdfast',
        version: '0',
      });
      ends.push(() => client.close());
      if (started !== undefined) {
        await stage.startController(started);
      }
      Object.assign(opened, {
        stage,
        client,
        standInsIdle: () => (isEmbedded ? allIdle(working) : Promise.resolve()),
      });
    }, 90_000);

    afterAll(async () => {
      for (const end of ends.toReversed()) {
        await end();
      }
    }, 60_000);

    tests(opened as Scene<Options>);
  });
}
