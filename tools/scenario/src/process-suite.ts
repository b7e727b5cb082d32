import { afterEach } from '@jest/globals';
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
import { useSuiteStage } from './suite-stage.ts';

/** An app that is tested as it is shipped. */
export interface ProcessSuiteOptions<Options> {
  /** The folder below `apps/`. */
  readonly app: string;
  readonly controlPlane: ControlPlaneOptions;
  openStage(plane: ControlPlane): Promise<Stage<Options>>;
  /** Flags of every process. Default none. */
  readonly flags?: readonly string[];
}

/** What the tests of the suite use. The plane and the stage exist once the first test runs. */
export interface ProcessSuite<Options> {
  readonly plane: ControlPlane;
  readonly stage: Stage<Options>;
  /**
   * Starts the app with the control plane's own credentials, without leader election and servers, and with
   * these flags, which override those defaults. A process that still runs when its test ends is killed.
   */
  start(...flags: readonly string[]): AppProcess;
  /**
   * Starts the app, slowed down so that it is not done soon, and kills it (kill -9) in the middle of its
   * work, when the condition holds.
   *
   * @param what the state in which it is killed, for the message if that never comes
   */
  killWhen(what: string, isCaught: () => Promise<boolean>): Promise<void>;
}

/** A hundred writes take four seconds, so that even a slow machine sees them half done. */
const slowly = ['--kube-api-qps=25', '--kube-api-burst=1'];

/** Defines a suite that runs the app as a process, on the control plane that the environment chooses. */
export function testProcess<Options>(
  name: string,
  { app, controlPlane, openStage, flags: common = [] }: ProcessSuiteOptions<Options>,
  define: (suite: ProcessSuite<Options>) => void,
): void {
  describeUnless(controlPlaneMissing(controlPlane), name, () => {
    const stage = useSuiteStage({ startPlane: () => startControlPlane(controlPlane), openStage });
    let running: readonly AppProcess[] = [];

    afterEach(async () => {
      await Promise.all(running.map((process) => process.end('SIGKILL')));
      running = [];
    });

    const start = (...flags: readonly string[]): AppProcess => {
      const process = startApp(app, [
        `--kubeconfig=${stage().kubeconfigFile}`,
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
        return stage().plane;
      },
      get stage() {
        return stage();
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
