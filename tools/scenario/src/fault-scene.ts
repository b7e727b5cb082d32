import { afterAll, afterEach } from '@jest/globals';
import { apiVersionOf, collectionPath, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
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

/** An app whose API server is to have faults. */
export interface FaultyApp<Options, Hand> {
  /** As its requests call themselves. */
  readonly name: string;
  /** Admission plugins of the API server that would do the app's work. */
  readonly disableAdmissionPlugins: readonly string[];
  openStage(plane: ControlPlane): Promise<Stage<Options>>;
  /** The hand of users in a namespace of the stage. */
  handOf(stage: Stage<Options>, namespace: string): Hand;
  /** What the controllers are started with. */
  readonly options: Options;
  /** The stock controllers without which nothing goes on. Default none. */
  readonly standIns?: readonly Controller[];
  /**
   * Whether all connections are over TLS, which takes a third of a story's CPU time. Default false. pvc-protection has the faults that
   * all apps share over TLS; what a connection is made of is the runtime's business, the same in all of them.
   */
  readonly tls?: boolean;
}

/** An embedded control plane with faults, and an app on it. */
export interface FaultScene<Options, Hand> {
  readonly plane: EmbeddedControlPlane;
  /** Without a rule yet. */
  readonly plan: FaultPlan;
  readonly stage: Stage<Options>;
  /** The scene's own. */
  readonly namespace: string;
  readonly hand: Hand;
  /** Like `hand`, but creates and deletes past the network, the faults and the log of requests: for hundreds of objects. */
  swiftHandOf(namespace: string): Hand;
  /** In the order in which they were asked for. */
  readonly standIns: readonly RunningController[];
  /**
   * Starts the app's controllers.
   *
   * @param chosen default: the stage's fast clock, so that no back-off takes its time.
   */
  start(chosen?: StartOptions): Promise<StagedController>;
  /** The app's requests since the log of requests was cleared. */
  requests(): readonly ServedRequest[];
  /** Resolves when the app's watch of this resource (plural) stands still, open but silent. */
  stallWatch(resource: string): Promise<void>;
  /** Ends the scene, once. A test that runs beside others has to, as jest runs no `afterEach` for it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens scenes, each a control plane of its own. They end with the test that opened them. */
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
  // For tests that ran beside others and failed before they had their scene.
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
      swiftHandOf: (where) => app.handOf({ ...stage, client: withinProcess(stage.client, plane) }, where),
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

function withinProcess(client: ApiClient, plane: EmbeddedControlPlane): ApiClient {
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await plane.apiServer.handle(method, path, JSON.stringify(body));
    if (answer.code >= 300) {
      throw new Error(`${method} ${path} was answered with ${String(answer.code)}: ${answer.body}`);
    }
    return answer.body;
  };
  return {
    ...client,
    create: async <T extends KubernetesObject>(
      resource: ApiResource<T>,
      namespace: string | undefined,
      object: unknown,
    ) => {
      const whole = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(object as object) };
      return JSON.parse(await send('POST', collectionPath(resource, namespace), whole)) as T;
    },
    delete: async (resource, { namespace, name }, how) => {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...how };
      await send('DELETE', `${collectionPath(resource, namespace)}/${name}`, body);
    },
  };
}
