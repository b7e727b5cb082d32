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
  find,
  loadKubeConfig,
  runControllers,
  systemClock,
  type ApiClient,
  type Clock,
  type ConnectedClient,
  type Controller,
  type EventRecorder,
  type Follower,
} from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { pino, type Logger } from 'pino';
import { Registry } from 'prom-client';
import { handClient } from './hand-client.ts';
import { letTimePass } from './passing-time.ts';
import { notingClient, openNotes } from './stage-witness.ts';

/** What an app's `main.ts` would pass to its controller. */
export interface AppSurroundings {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** The app under test: how its parts are created for a control plane. */
export interface StagedApp<Options> {
  readonly name: string;
  create(
    surroundings: AppSurroundings,
    options: Options,
  ): { readonly informers: readonly Follower[]; readonly controllers: readonly Controller[] };
}

/**
 * A control plane with a client for the test itself, and with controllers that can be started and stopped.
 */
export interface Stage<Options> {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  readonly kubeconfigFile: string;
  /** Returns the clock on which time passes fast until the stage is closed, see {@link letTimePass}. */
  fastClock(): Clock;
  /** Creates a new namespace for a scenario, and resolves with its name. */
  namespace(): Promise<string>;
  /** Returns the object as the API server has it now; undefined if there is none. */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** Returns the Events of a namespace, ordered by their first time. */
  eventsOn(namespace: string): Promise<readonly EventsEvent[]>;
  /** Starts the app's controllers within this process. */
  startController(options: Options, chosen?: StartOptions): Promise<StagedController>;
  /** Stops all controllers gracefully. */
  stopControllers(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions {
  /** The clock of the controllers and informers. Events always use the machine's. Default: the machine's. */
  readonly clock?: Clock;
  /**
   * The clock of their client, for Retry-After and for the age of what it has read. Default: the machine's.
   */
  readonly clientClock?: Clock;
  /**
   * A streamed list that pauses for this many milliseconds is given up. Default: the runtime's 10 s, which
   * are always real time, because the connection measures them.
   */
  readonly streamPause?: number;
}

export interface StagedController {
  readonly registry: Registry;
  /** Stops gracefully, as on SIGTERM. */
  stop(): Promise<void>;
  /** Drops everything in progress, as a lost lease does. */
  abandon(): Promise<void>;
}

export async function openStage<Options>(
  plane: ControlPlane,
  app: StagedApp<Options>,
): Promise<Stage<Options>> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scenario-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, plane.kubeconfig);
  const connectAs = (program: string, registry: Registry, clock = systemClock): ConnectedClient =>
    connect({
      // Some suites do without TLS to save its CPU time; within the machine nobody can intercept the
      // connection.
      kubeConfig: () => loadKubeConfig({ kubeconfig: kubeconfigFile, insecureHttp: true }),
      registry,
      program,
      version: '0',
      clock,
    });
  const notes = await openNotes(plane, app.name);
  const hand = handClient(plane, connectAs('scenario', new Registry()));
  const client = notes === undefined ? hand : notingClient(hand, notes);
  let fast: { readonly clock: FakeClock; readonly stop: () => Promise<void> } | undefined;
  const running = new Set<StagedController>();

  const stopControllers = async (): Promise<void> => {
    await Promise.all([...running].map((controller) => controller.stop()));
  };

  return {
    plane,
    client,
    kubeconfigFile,
    fastClock: () => {
      if (fast === undefined) {
        const clock = createFakeClock();
        fast = { clock, stop: letTimePass(clock) };
      }
      return fast.clock;
    },
    namespace: async () => {
      const created = await client.create(namespaces, undefined, { metadata: { generateName: 'scenario-' } });
      return created.metadata.name;
    },
    find: (resource, ref) => find(client, resource, ref),
    eventsOn: async (namespace) =>
      (await client.list(eventsV1, { namespace })).items.toSorted(
        ({ eventTime: a }, { eventTime: b }) => Number(a > b) - Number(a < b),
      ),
    startController: (options, { clock = systemClock, clientClock, streamPause } = {}) => {
      const registry = new Registry();
      const connected = connectAs(app.name, registry, clientClock);
      const own = streamPause === undefined ? connected : withStreamPause(connected, streamPause);
      const logger = pino({ level: process.env['HOLDFAST_TEST_LOG'] ?? 'silent' });
      const stop = new AbortController();
      const abandon = new AbortController();
      const watching = new AbortController();
      // Without a rate limit, so that the end of a test does not wait for its last Events.
      const events = createEventRecorder({
        client: own,
        app: { name: app.name, domain: 'holdfast.dev' },
        logger,
        qps: 0,
      });
      const parts = app.create({ client: own, logger, registry, events, clock }, options);
      const recording = events.run(watching.signal);
      parts.informers.forEach((informer) => informer.holdHandlers());
      const following = Promise.all(parts.informers.map((informer) => informer.run(watching.signal)));
      const working = runControllers(parts, stop.signal, abandon.signal);
      const ended = notes?.starts(options);
      const end = async (): Promise<void> => {
        running.delete(controller);
        ended?.();
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
      return Promise.resolve(controller);
    },
    stopControllers,
    close: async () => {
      await notes?.closes();
      await stopControllers();
      await fast?.stop();
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withStreamPause(client: ApiClient, streamPause: number): ApiClient {
  return {
    ...client,
    watch: (resource, options, onEvent) =>
      client.watch(
        resource,
        options.sendInitialEvents === true ? { ...options, silenceLimit: streamPause } : options,
        onEvent,
      ),
  };
}
