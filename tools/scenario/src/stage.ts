import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventsV1,
  namespaces,
  type ApiResource,
  type EventsEvent,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import {
  connect,
  createEventRecorder,
  isNotFound,
  loadKubeConfig,
  runControllers,
  type ApiClient,
  type Controller,
  type EventRecorder,
  type Follower,
} from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';
import { pino, type Logger } from 'pino';
import { Registry } from 'prom-client';

/** What an app's `main.ts` would hand to its controller. */
export interface AppSurroundings {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
}

/** The app under test: how its parts are made for a control plane. */
export interface StagedApp<Options> {
  readonly name: string;
  create(
    surroundings: AppSurroundings,
    options: Options,
  ): { readonly informers: readonly Follower[]; readonly controllers: readonly Controller[] };
}

/** A control plane with a client for the test's own hand, and controllers that are started and stopped at will. */
export interface Stage<Options> {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  readonly kubeconfigFile: string;
  /** Makes a namespace of its own for a scenario; answers its name. */
  namespace(): Promise<string>;
  /** The object as the API server has it now; undefined when it has none. */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** The Events of a namespace, in the order of their first time. */
  eventsOn(namespace: string): Promise<readonly EventsEvent[]>;
  /** Starts the app's controllers within this process; `kubeconfig` is text, default the plane's own. */
  startController(options: Options, kubeconfig?: string): Promise<StagedController>;
  /** Ends all controllers in good order. */
  stopControllers(): Promise<void>;
  close(): Promise<void>;
}

export interface StagedController {
  readonly registry: Registry;
  /** Ends in good order, as on SIGTERM. */
  stop(): Promise<void>;
  /** Drops everything under way, as a lost lease does. */
  abandon(): Promise<void>;
}

export async function openStage<Options>(
  plane: ControlPlane,
  app: StagedApp<Options>,
): Promise<Stage<Options>> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scenario-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, plane.kubeconfig);
  const connectAs = (program: string, file: string, registry: Registry): ApiClient =>
    connect({ kubeConfig: () => loadKubeConfig({ kubeconfig: file }), registry, program, version: '0' });
  const client = connectAs('scenario', kubeconfigFile, new Registry());
  const running = new Set<StagedController>();

  const stopControllers = async (): Promise<void> => {
    await Promise.all([...running].map((controller) => controller.stop()));
  };

  return {
    plane,
    client,
    kubeconfigFile,
    namespace: async () => {
      const created = await client.create(namespaces, undefined, { metadata: { generateName: 'scenario-' } });
      return created.metadata.name;
    },
    find: async (resource, ref) => {
      try {
        return await client.get(resource, ref);
      } catch (error) {
        if (isNotFound(error)) {
          return undefined;
        }
        throw error;
      }
    },
    eventsOn: async (namespace) =>
      (await client.list(eventsV1, { namespace })).items.toSorted((a, b) =>
        a.eventTime.localeCompare(b.eventTime),
      ),
    startController: async (options, kubeconfig) => {
      let file = kubeconfigFile;
      if (kubeconfig !== undefined) {
        file = join(folder, `kubeconfig-${crypto.randomUUID()}`);
        await writeFile(file, kubeconfig);
      }
      const registry = new Registry();
      const own = connectAs(app.name, file, registry);
      const logger = pino({ level: process.env['HOLDFAST_TEST_LOG'] ?? 'silent' });
      const stop = new AbortController();
      const abandon = new AbortController();
      const watching = new AbortController();
      const events = createEventRecorder({ client: own, app: app.name, logger });
      const parts = app.create({ client: own, logger, registry, events }, options);
      const recording = events.run(watching.signal);
      const following = Promise.all(parts.informers.map((informer) => informer.run(watching.signal)));
      const working = runControllers(parts, stop.signal, abandon.signal);
      const end = async (): Promise<void> => {
        running.delete(controller);
        stop.abort(new Error('stopped by the test'));
        await working;
        watching.abort(new Error('stopped by the test'));
        await Promise.all([following, recording]);
        await own.close();
      };
      const controller: StagedController = {
        registry,
        stop: end,
        abandon: () => {
          abandon.abort(new Error('abandoned by the test'));
          return end();
        },
      };
      running.add(controller);
      return controller;
    },
    stopControllers,
    close: async () => {
      await stopControllers();
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
