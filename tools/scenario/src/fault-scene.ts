import { afterAll, afterEach } from '@jest/globals';
import {
  createFaultPlan,
  startController,
  startEmbeddedControlPlane,
  type Controller,
  type ControlPlane,
  type EmbeddedControlPlane,
  type FaultPlan,
  type RunningController,
  type ServedRequest,
} from '@holdfast/testing';
import { eventually } from './eventually.ts';
import { madeBy } from './fault-cases.ts';
import type { Stage, StagedController, StartOptions } from './stage.ts';

/** An app whose API server will have faults. */
export interface FaultyApp<Options, Hand> {
  /** The name in the User-Agent of its requests. */
  readonly name: string;
  /** Admission plugins of the API server to turn off because they would do the app's work. */
  readonly disableAdmissionPlugins: readonly string[];
  openStage(plane: ControlPlane): Promise<Stage<Options>>;
  /** Acts as the users in a namespace of the stage. */
  handOf(stage: Stage<Options>, namespace: string): Hand;
  /** The options with which the controllers are started. */
  readonly options: Options;
  /** The stock controllers that the story needs to make progress. Default none. */
  readonly standIns?: readonly Controller[];
  /**
   * Whether all connections use TLS, which takes a third of a story's CPU time. Default false. pvc-protection
   * plays the faults that all apps share over TLS; for the others that is unnecessary, since connections are
   * made by the runtime, in the same way for all apps.
   */
  readonly tls?: boolean;
}

/** An embedded control plane with faults, and an app on it. */
export interface FaultScene<Options, Hand> {
  readonly plane: EmbeddedControlPlane;
  /** The fault plan, which has no rules yet. */
  readonly plan: FaultPlan;
  readonly stage: Stage<Options>;
  /** The namespace of this scene. */
  readonly namespace: string;
  readonly hand: Hand;
  /** Like `hand`, in another namespace. */
  handOf(namespace: string): Hand;
  /** The stand-ins, in the order in which they were requested. */
  readonly standIns: readonly RunningController[];
  /**
   * Starts the app's controllers.
   *
   * @param chosen default: the stage's fast clock, so that no back-off takes real time
   */
  start(chosen?: StartOptions): Promise<StagedController>;
  /** Returns the app's requests since the log of requests was cleared. */
  requests(): readonly ServedRequest[];
  /** Resolves when the app's watch of this resource (plural) is stalled: open but silent. */
  stallWatch(resource: string): Promise<void>;
  /**
   * Ends the scene, once. A test that runs concurrently with others must call this, because jest runs no
   * `afterEach` for it.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens scenes, each with its own control plane. They end with the test that opened them. */
export function useFaultScenes<Options, Hand>(
  app: FaultyApp<Options, Hand>,
): (standIns?: readonly Controller[]) => Promise<FaultScene<Options, Hand>> {
  const ours = madeBy(app.name);
  const unended = new Set<() => Promise<void>>();
  const endAll = async (): Promise<void> => {
    for (const end of unended) {
      await end();
    }
  };
  afterEach(endAll, 30_000);
  // For concurrent tests that failed before they got their scene.
  afterAll(endAll, 30_000);

  return async (wanted = app.standIns ?? []) => {
    const endings: (() => Promise<unknown>)[] = [];
    const end = async (): Promise<void> => {
      unended.delete(end);
      for (const endPart of endings.splice(0).reverse()) {
        await endPart();
      }
    };
    unended.add(end);
    const plan = createFaultPlan();
    const plane = await startEmbeddedControlPlane({
      tls: app.tls ?? false,
      disableAdmissionPlugins: app.disableAdmissionPlugins,
      faults: plan,
    });
    endings.push(() => plane.stop());
    const standIns: RunningController[] = [];
    for (const standIn of wanted) {
      const running = await startController(plane, standIn);
      standIns.push(running);
      endings.push(() => running.stop());
    }
    const stage = await app.openStage(plane);
    endings.push(() => stage.close());
    const namespace = await stage.namespace();

    return {
      plane,
      plan,
      stage,
      namespace,
      hand: app.handOf(stage, namespace),
      handOf: (where) => app.handOf(stage, where),
      standIns,
      start: (chosen) => stage.startController(app.options, { clock: stage.fastClock(), ...chosen }),
      requests: () => plane.apiServer.requests.all.filter(({ userAgent }) => ours.userAgent.test(userAgent)),
      stallWatch: async (resource) => {
        const fault = { kind: 'stallWatch', afterEvents: 0 } as const;
        plan.on({ ...ours, verb: 'watch', resource }, fault);
        plane.apiServer.cutWatches();
        await eventually(`the watch of ${resource} stands still`, () =>
          plan.injected.some((hit) => hit.fault === fault),
        );
      },
      [Symbol.asyncDispose]: end,
    };
  };
}
