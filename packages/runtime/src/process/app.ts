import type { ApiResource, FeatureGates, KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createInformerMetrics } from '../cache/informer-metrics.ts';
import { createInformer, type InformerOptions } from '../cache/informer.ts';
import type { IndexFunction } from '../cache/store.ts';
import type { ApiClient, Projected } from '../client/api-client.ts';
import { createControllerMetrics } from '../controller/controller-metrics.ts';
import { createController, type Controller, type ControllerWork } from '../controller/controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import { createWorkQueueMetrics } from '../queue/work-queue-metrics.ts';
import type { HealthCheck } from '../serving/health.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';
import type { Follower } from './follower.ts';
import type { Runnable } from './runnable.ts';
import type { Wake } from './wake.ts';
import type { Watched } from './watched.ts';

/** What the controllers of an app are given by whoever runs them: a process (`runApp`), or a test. */
export interface AppParts<Gate extends string = string> {
  /** Of the app, and of its first controller, for example `pvc-protection`. */
  readonly name: string;
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<Gate>;
  /** That are watched. Empty: all. */
  readonly namespaces: readonly string[];
  /** Keys worked on at once; with groups, keys of one group, and twice as many in all. */
  readonly concurrentSyncs: number;
  /** Of back-offs, requeue delays and caches. Default: the machine's. */
  readonly clock?: Clock;
  /** Wall clock, for times that are written or read. Default: the machine's. */
  readonly now?: () => Date;
}

/** What an app is composed with. Whatever it is asked for is run with the app. */
export interface App<Gate extends string = string> extends Required<AppParts<Gate>> {
  /**
   * Follows a kind: in the app's namespaces, where it has any. Caches are filled, and handlers started, in the order of these calls.
   *
   * @param projection the fields of each object that the controllers read.
   * @param indexes by name; the store has no others, and the compiler says so. One that is undefined, as a gate may have it, is not kept, and must
   *   not be asked. Default none.
   */
  watch<T extends KubernetesObject, Index extends string = never>(
    resource: ApiResource<T>,
    projection: Projection<T>,
    indexes?: Readonly<Record<Index, IndexFunction<T> | undefined>>,
    options?: WatchedOptions<T>,
  ): Watched<T, Index>;
  /** Follows a kind likewise, and keeps its objects whole: for kinds of one's own, and others of which few are selected. */
  watch<T extends KubernetesObject>(resource: ApiResource<T>, options?: WatchedOptions<T>): Watched<T>;
  /** Makes a controller, with its metrics, and joins its wakes to its queue, in their order. */
  controller<Batch>(options: AppBatchControllerOptions<Batch>): Controller;
  controller(options: AppControllerOptions): Controller;
  /** Runs this beside the controllers. */
  run(runnable: Runnable): void;
  /** Lets /readyz depend on this. */
  readyWhile(check: HealthCheck): void;
  /** Lets /livez depend on this: where it fails, the kubelet ends the process. */
  aliveWhile(check: HealthCheck): void;
}

/** How a kind is watched. */
export interface WatchedOptions<T extends KubernetesObject> extends Pick<
  InformerOptions<T>,
  'labelSelector' | 'fieldSelector' | 'transform' | 'optional'
> {
  /** Whether it is watched at all, as a gate may have it; its store stays empty otherwise. Default true. */
  readonly when?: boolean;
}

/** A controller of an app, whose keys share nothing. By default `concurrency` is the app's `concurrentSyncs`. */
export interface AppControllerOptions<Batch = undefined> extends ControllerWork<Batch> {
  /** Name in metrics and logs. Default: the app's. */
  readonly name?: string;
  /** What wakes its keys. */
  readonly wakes: readonly Wake[];
  /** Its `run`, with what else must run while it does, such as connections that its reconciles use. Default: `run` itself. */
  readonly around?: (run: Controller['run']) => Controller['run'];
}

/** A controller of an app, whose keys share something. */
export interface AppBatchControllerOptions<Batch> extends AppControllerOptions<Batch> {
  readonly openBatch: (keys: readonly string[]) => Batch;
}

/** What an app has asked for, in the order in which it did. */
export interface Composition {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  readonly readyChecks: readonly HealthCheck[];
  readonly liveChecks: readonly HealthCheck[];
}

/**
 * Composes an app of these parts. Nothing runs yet: `runControllers` runs the composition within a test, {@link runApp} a whole process.
 * One call for each registry.
 */
export function composeApp<Gate extends string>(
  parts: AppParts<Gate>,
  compose: (app: App<Gate>) => void,
): Composition {
  const { name, client, logger, registry, namespaces, concurrentSyncs } = parts;
  const { clock = systemClock, now = () => new Date() } = parts;
  const informers: Follower[] = [];
  const controllers: Controller[] = [];
  const runnables: Runnable[] = [];
  const readyChecks: HealthCheck[] = [];
  const liveChecks: HealthCheck[] = [];
  const metrics = createInformerMetrics(registry);

  const watch = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    how?: Projection<T> | WatchedOptions<T>,
    indexes?: Readonly<Record<string, IndexFunction<T> | undefined>>,
    given?: WatchedOptions<T>,
  ): Watched<T> => {
    const { when = true, ...options } = watchOptions(how, given);
    const informer = createInformer({
      ...options,
      client,
      logger,
      clock,
      metrics,
      namespaces: resource.namespaced ? namespaces : [],
      resource,
      indexes: keptOf(indexes),
    });
    if (when) {
      informers.push(informer);
    }
    const { projection } = options;
    return projection === undefined ? informer : Object.assign(informer, { projection });
  };

  const controller = <Batch>({
    wakes,
    around = (run) => run,
    ...options
  }: AppBatchControllerOptions<Batch>): Controller => {
    const ownName = options.name ?? name;
    const created = createController({
      concurrency: concurrentSyncs,
      ...options,
      name: ownName,
      logger,
      clock,
      metrics: createControllerMetrics(registry, ownName),
      queueMetrics: createWorkQueueMetrics(registry, ownName),
    });
    for (const join of wakes) {
      join(created.queue);
    }
    controllers.push({ queue: created.queue, run: around(created.run) });
    return created;
  };

  compose({
    ...parts,
    clock,
    now,
    watch,
    controller,
    run: (runnable) => void runnables.push(runnable),
    readyWhile: (check) => void readyChecks.push(check),
    aliveWhile: (check) => void liveChecks.push(check),
  });
  return { informers, controllers, runnables, readyChecks, liveChecks };
}

/** The options of a watch, its projection among them, in whichever of the two forms of {@link App.watch} they were given. */
export function watchOptions<T extends KubernetesObject>(
  how: Projection<T> | WatchedOptions<T> = {},
  options: WatchedOptions<T> = {},
): WatchedOptions<T> & Projected<T> {
  return 'fromJson' in how ? { ...options, projection: how } : how;
}

function keptOf<T>(
  indexes: Readonly<Record<string, IndexFunction<T> | undefined>> = {},
): Readonly<Record<string, IndexFunction<T>>> {
  const kept: Record<string, IndexFunction<T>> = {};
  for (const [name, valuesOf] of Object.entries(indexes)) {
    if (valuesOf !== undefined) {
      kept[name] = valuesOf;
    }
  }
  return kept;
}
