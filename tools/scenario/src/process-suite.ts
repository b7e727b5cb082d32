import { afterAll, afterEach, beforeAll } from '@jest/globals';
import {
  controlPlaneMissing,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from '@holdfast/testing';
import { startApp, type AppProcess } from './app-process.ts';
import { describeUnless } from './describe-unless.ts';
import { eventually } from './eventually.ts';
import type { Stage } from './stage.ts';

/** An app that is tested as what is shipped. */
export interface ProcessSuiteOptions<Options> {
  /** Folder below `apps/`. */
  readonly app: string;
  readonly controlPlane: ControlPlaneOptions;
  openStage(plane: ControlPlane): Promise<Stage<Options>>;
  /** Of every process of it. Default none. */
  readonly flags?: readonly string[];
}

/** What the tests of the suite work with; the plane and the stage are there as soon as the first one runs. */
export interface ProcessSuite<Options> {
  readonly plane: ControlPlane;
  readonly stage: Stage<Options>;
  /**
   * Starts the app with the control plane's own credentials, no leader election and no server, and these flags, which win over
   * that. A process that still runs when its test is over is killed.
   */
  start(...flags: readonly string[]): AppProcess;
  /**
   * Starts the app, too slow to be done soon, and kills it (kill -9) when the condition holds, in the middle of its work.
   *
   * @param what it is caught at, for the message when it is not.
   */
  killWhen(what: string, isCaught: () => Promise<boolean>): Promise<void>;
}

/** A hundred writes take four seconds, so that they are seen half done even on a slow machine. */
const slowly = ['--kube-api-qps=25', '--kube-api-burst=1'];

/** Defines a suite with the app as a process, on the control plane that the environment chooses. */
export function testProcess<Options>(
  name: string,
  { app, controlPlane, openStage, flags: common = [] }: ProcessSuiteOptions<Options>,
  define: (suite: ProcessSuite<Options>) => void,
): void {
  describeUnless(controlPlaneMissing(controlPlane), name, () => {
    let plane: ControlPlane;
    let stage: Stage<Options>;
    let running: readonly AppProcess[] = [];

    beforeAll(async () => {
      plane = await startControlPlane(controlPlane);
      stage = await openStage(plane);
    }, 90_000);

    afterEach(async () => {
      await Promise.all(running.map((process) => process.end('SIGKILL')));
      running = [];
    });

    afterAll(async () => {
      await stage.close();
      await plane.stop();
    }, 60_000);

    const start = (...flags: readonly string[]): AppProcess => {
      const process = startApp(app, [
        `--kubeconfig=${stage.kubeconfigFile}`,
        '--leader-elect=false',
        '--metrics-bind-address=0',
        '--health-probe-bind-address=0',
        ...common,
        ...flags,
      ]);
      running = [...running, process];
      return process;
    };

    define({
      get plane() {
        return plane;
      },
      get stage() {
        return stage;
      },
      start,
      killWhen: async (what, isCaught) => {
        const process = start(...slowly);
        await eventually(what, isCaught);
        await process.end('SIGKILL');
      },
    });
  });
}
