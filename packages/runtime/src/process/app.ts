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

/** What runs an app gives to its controllers: a process (`runApp`), or a test. */
export interface AppParts<Gate extends string = string> {
  /** The name of the app, and of its first controller, for example `pvc-protection`. */
  readonly name: string;
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<Gate>;
  /** The namespaces to watch. Empty: all. */
  readonly namespaces: readonly string[];
  /**
   * How many keys are worked on at once. With groups, it applies to each group, and the total is twice as
   * many.
   */
  readonly concurrentSyncs: number;
  /** The clock for back-offs, requeue delays and caches. Default: the machine's. */
  readonly clock?: Clock;
  /** Wall clock for times that are written or read. Default: the machine's. */
  readonly now?: () => Date;
}

/**
 * What an app composes itself from. Everything that it requests here runs together with the app. Its functions throw an
 * Error once the app is composed.
 */
export interface App<Gate extends string = string> extends Required<AppParts<Gate>> {
  /**
   * Watches a kind, in the app's namespaces if it has any. Caches are filled, and handlers started, in the
   * order of these calls.
   *
   * @param projection the fields of each object that the controllers read.
   * @param indexes by name. The compiler knows that the store has no others. An undefined index, for example
   *   because a feature gate is off, is not kept and must not be queried. Default: none.
   */
  watch<T extends KubernetesObject, Index extends string = never>(
    resource: ApiResource<T>,
    projection: Projection<T>,
    indexes?: Readonly<Record<Index, IndexFunction<T> | undefined>>,
    options?: WatchedOptions<T>,
  ): Watched<T, Index>;
  /**
   * Watches a kind likewise, and keeps whole objects: for custom kinds, and for others of which few objects
   * are selected.
   */
  watch<T extends KubernetesObject>(resource: ApiResource<T>, options?: WatchedOptions<T>): Watched<T>;
  /**
   * Creates a controller with its metrics, and connects its wakes to its queue, in their order.
   *
   * @throws Error for the name of another controller of the app.
   */
  controller<Batch>(options: AppBatchControllerOptions<Batch>): Controller;
  controller(options: AppControllerOptions): Controller;
  /** Runs this alongside the controllers. */
  run(runnable: Runnable): void;
  /** Makes /readyz depend on this check. */
  readyWhile(check: HealthCheck): void;
  /** Makes /livez depend on this check. If it fails, the kubelet ends the process. */
  aliveWhile(check: HealthCheck): void;
}

/** How a kind is watched. */
export interface WatchedOptions<T extends KubernetesObject> extends Pick<
  InformerOptions<T>,
  'labelSelector' | 'fieldSelector' | 'transform' | 'optional'
> {
  /**
   * Whether the kind is watched at all, which can depend on a feature gate. If not, its store stays empty.
   * Default: true.
   */
  readonly when?: boolean;
}

/**
 * A controller of an app whose keys share nothing. The default of `concurrency` is the app's
 * `concurrentSyncs`.
 */
export interface AppControllerOptions<Batch = undefined> extends ControllerWork<Batch> {
  /** Name in metrics and logs; no two controllers of an app have the same. Default: the app's. */
  readonly name?: string;
  /** The events that wake its keys. */
  readonly wakes: readonly Wake[];
  /**
   * Wraps its `run` with what must run at the same time, such as connections that its reconciles use. If it rejects,
   * the process ends in an orderly way, with exit code 1. Default: `run` itself.
   */
  readonly around?: (run: Controller['run']) => Controller['run'];
}

/** A controller of an app whose keys share something. */
export interface AppBatchControllerOptions<Batch> extends AppControllerOptions<Batch> {
  readonly openBatch: (keys: readonly string[]) => Batch;
}

/** Everything that an app has requested, in that order. */
export interface Composition {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  readonly readyChecks: readonly HealthCheck[];
  readonly liveChecks: readonly HealthCheck[];
}

/**
 * Composes an app from these parts. Nothing runs yet: `runControllers` runs the composition within a test,
 * and {@link runApp} a whole process. Call it once for each registry.
 */
export function composeApp<Gate extends string>(
  parts: AppParts<Gate>,
  compose: (app: App<Gate>) => void,
): Composition {
  const { name, client, logger, registry, namespaces, concurrentSyncs } = parts;
  const { clock = systemClock, now = () => new Date() } = parts;
  const informers: Follower[] = [];
  const controllers: Controller[] = [];
  const names = new Set<string>();
  const runnables: Runnable[] = [];
  const readyChecks: HealthCheck[] = [];
  const liveChecks: HealthCheck[] = [];
  const metrics = createInformerMetrics(registry);
  let isComposed = false;

  /** A cache that never fills would show that nothing exists. */
  const mustCompose = (what: keyof App): void => {
    if (isComposed) {
      throw new Error(
        `${what} was called after the app was composed, and would have no effect; call it in the function that composes the app`,
      );
    }
  };

  const watch = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    how?: Projection<T> | WatchedOptions<T>,
    indexes?: Readonly<Record<string, IndexFunction<T> | undefined>>,
    given?: WatchedOptions<T>,
  ): Watched<T> => {
    mustCompose('watch');
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
    mustCompose('controller');
    const ownName = options.name ?? name;
    if (names.has(ownName)) {
      throw new Error(
        `two controllers have the name "${ownName}", by which logs and metrics tell them apart; give one of them another name`,
      );
    }
    names.add(ownName);
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

  const answering: (app: App<Gate>) => unknown = compose;
  const composed = answering({
    ...parts,
    clock,
    now,
    watch,
    controller,
    run: (runnable) => {
      mustCompose('run');
      runnables.push(runnable);
    },
    readyWhile: (check) => {
      mustCompose('readyWhile');
      readyChecks.push(check);
    },
    aliveWhile: (check) => {
      mustCompose('aliveWhile');
      liveChecks.push(check);
    },
  });
  isComposed = true;
  mustBeSynchronous(composed);
  return { informers, controllers, runnables, readyChecks, liveChecks };
}

/**
 * An asynchronous function fits where its result is not used, so the compiler does not refuse it. Whatever it does
 * after its first await would come too late, and its failure would be nobody's.
 */
function mustBeSynchronous(composed: unknown): void {
  if (composed instanceof Promise) {
    composed.catch(() => undefined);
    throw new Error(
      'the function that composes the app returns a promise; make it synchronous, and await before runApp or within app.run: what it watches after an await would have no effect',
    );
  }
}

/**
 * Returns the options of a watch with its projection, in whichever of the two forms of {@link App.watch} they
 * were given.
 */
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
