import {
  objectKey,
  parseKey,
  persistentVolumeClaims,
  storageClasses,
  type FeatureGates,
  type ObjectKey,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createWorkQueueMetrics,
  listAny,
  systemClock,
  type ApiClient,
  type Clock,
  type Controller,
  type EventRecorder,
  type Follower,
  type Priority,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { defaultClass, isWaiting } from './decide.ts';
import type { GateName } from './gates.ts';
import { createHoldOff } from './hold-off.ts';
import { createLiveDefaults } from './live-default.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile } from './reconcile.ts';
import { createRehearsal } from './rehearsal.ts';
import { slimClaim, slimStorageClass } from './slim.ts';

const name = 'retroactive-default-sc';
const byState = 'state';
/** How many claims are woken in one turn of the event loop, when all that wait are. */
const portion = 100;
const waiting = 'waiting';

export interface RetroactiveDefaultOptions {
  readonly client: ApiClient;
  /** Makes a client like it, whose writes are all dry runs. */
  readonly connectForDryRun: () => ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<GateName>;
  /** Of the claims; empty: all. */
  readonly namespaces: readonly string[];
  /** Claims of a namespace worked on at once; in all, twice as many. */
  readonly concurrentSyncs: number;
  /** Of back-offs and requeue delays. Default: the machine's, by which looks age in any case. */
  readonly clock?: Clock;
}

/**
 * Watches claims and classes. What wakes a claim that waits (has neither class nor volume):
 * - the claim, added or changed, while there is a default class;
 * - another class, when it becomes the default: all that wait, at once;
 * - the first claim that the API server gives a class after it had forbidden all: all that wait.
 *
 * While there is no default, one claim is woken, until the API server was asked whether it allows such changes.
 */
export function createRetroactiveDefault(options: RetroactiveDefaultOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, events, gates, namespaces, clock = systemClock } = options;
  const shared = { client, logger, clock, metrics: createInformerMetrics(registry) };
  const claimInformer = createInformer({
    ...shared,
    namespaces,
    resource: persistentVolumeClaims,
    projection: slimClaim,
    indexes: { [byState]: (claim) => (isWaiting(claim) ? [waiting] : []) },
  });
  const classInformer = createInformer({
    ...shared,
    resource: storageClasses,
    projection: slimStorageClass,
  });
  const waitingClaims = (): readonly PersistentVolumeClaim[] => claimInformer.store.byIndex(byState, waiting);
  const holdOff = createHoldOff(clock);
  const rehearsal = createRehearsal({
    connectForDryRun: options.connectForDryRun,
    logger,
    events,
    holdOff,
    waitingClaims,
    clock,
  });
  let cachedDefault: StorageClass | undefined;

  const wakeAll = (priority: Priority = 'event'): void => wakeInPortions(waitingClaims(), priority);
  /** The first claims must not wait until thousands have been queued behind them. */
  const wakeInPortions = (claims: readonly PersistentVolumeClaim[], priority: Priority): void => {
    for (const claim of claims.slice(0, portion)) {
      controller.queue.add(objectKey(claim), priority);
    }
    if (claims.length > portion) {
      setImmediate(wakeInPortions, claims.slice(portion), priority);
    }
  };

  const controller: Controller = createController({
    name,
    logger,
    clock,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: options.concurrentSyncs,
    groupOf: (key: ObjectKey) => parseKey(key).namespace ?? '',
    // A batch of claims shares one live list of the classes, wherever they are.
    mixedBatches: true,
    openBatch: createLiveDefaults(systemClock, async (look, signal) => {
      const classes: StorageClass[] = [];
      for await (const each of listAny(client, storageClasses, {
        projection: slimStorageClass,
        look,
        signal,
      })) {
        classes.push(each);
      }
      return classes;
    }),
    reconcile: createReconcile({
      client,
      claims: claimInformer.store,
      cachedDefault: () => cachedDefault,
      rehearsal,
      holdOff,
      wakeAll,
      logger,
      metrics: createMetrics(registry, () => waitingClaims().length),
      events,
    }),
  });
  const { queue } = controller;

  const look = (claim: PersistentVolumeClaim, initial: boolean): void => {
    if (!isWaiting(claim)) {
      holdOff.forget(claim);
    } else if (cachedDefault !== undefined || (!rehearsal.isOver() && queue.length === 0)) {
      queue.add(objectKey(claim), initial ? 'initial' : 'event');
    }
  };
  const lookAtDefault = (initial: boolean): void => {
    const before = cachedDefault;
    cachedDefault = defaultClass(classInformer.store.values());
    if (cachedDefault !== undefined && cachedDefault.metadata.uid !== before?.metadata.uid) {
      wakeAll(initial ? 'initial' : 'event');
    }
  };

  claimInformer.addHandler({
    added: look,
    updated: (_before, after) => look(after, false),
    deleted: (last) => holdOff.forget(last),
  });
  classInformer.addHandler({
    added: (_class, initial) => lookAtDefault(initial),
    updated: () => lookAtDefault(false),
    deleted: () => lookAtDefault(false),
  });
  return {
    // With the gate off nothing is watched, so that nothing is ever woken; the process itself stays.
    informers: gates.enabled('RetroactiveDefaultStorageClass') ? [claimInformer, classInformer] : [],
    controllers: [controller],
  };
}
