import {
  apiVersionOf,
  controllerOf,
  isTerminating,
  objectKey,
  parseKey,
  persistentVolumeClaims,
  pods,
  type FeatureGates,
  type KubernetesObject,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createWorkQueueMetrics,
  systemClock,
  type ApiClient,
  type Clock,
  type Controller,
  type EventRecorder,
  type Follower,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { parseClaimName } from './claim-name.ts';
import { createClaimWriter } from './claim-writer.ts';
import { decide } from './decide/decide.ts';
import { isWrittenByStock } from './decide/give-way.ts';
import { isHeld } from './decide/hold.ts';
import { workloadsNamedOn } from './decide/leftover.ts';
import { markOf } from './decide/mark.ts';
import { controllingPod, isOfKind, referencesOf } from './decide/references.ts';
import { isOfTiedKind, tieOf } from './decide/tie.ts';
import { createEndings } from './endings.ts';
import type { GateName } from './gates.ts';
import { createLastPods } from './last-pods.ts';
import { createLiveLook } from './live-look.ts';
import { createMetrics, reportKinds } from './metrics.ts';
import { createNotices } from './notices.ts';
import { createReconcile } from './reconcile.ts';
import { saysTheSame, slimClaim, slimPod, slimWorkload } from './slim.ts';
import { createStockWatch } from './stock-watch.ts';
import { byChangeable, byPod, byStem, changeableOwners, createView, podKeyOf } from './view.ts';
import {
  cachedStemsOf,
  deletionWindowOf,
  policyOf,
  stemsOf,
  warningsOf,
  workloadAnnotations,
  type Workload,
  type WorkloadResource,
} from './workload.ts';

const name = 'statefulset-pvc-retention';

export interface RetentionOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<GateName>;
  /** The kinds that own claims. */
  readonly workloads: readonly WorkloadResource[];
  /** Namespaces that are watched. Empty: all. */
  readonly namespaces: readonly string[];
  /** Workloads of a namespace worked on at once; in all, twice as many. */
  readonly concurrentSyncs: number;
  /** Clock of back-off and of delayed looks. Default: the machine's. */
  readonly clock?: Clock;
  /** Wall clock of what outlives the process: the marks of the undo window. Default: the machine's. */
  readonly now?: () => Date;
  /** What the API server's clock shows; undefined: not known. A deadline has passed when both clocks say so. Default: the client's estimate. */
  readonly serverTime?: () => Date | undefined;
  /** Whether a stock controller that carries out the policies goes first, see `giveWay`. */
  readonly yieldToStockController: boolean;
}

/**
 * Watches workloads, their pods, and claims. The key is the workload, so that its claims share a live look. What wakes it:
 * - the workload itself, added, or changed in what it says of its claims;
 * - a claim named after it, added or changed, when there is something to do for that claim;
 * - a pod of its name, added, deleted, or given to another controller, when there is something to do for a claim of its ordinal.
 *
 * A claim that is named after no workload has a key of its own: a workload that is gone might have left something on it. So has one that is controlled
 * by a workload which has no template for it any more.
 */
export function createStatefulSetPvcRetention(options: RetentionOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, gates, namespaces, concurrentSyncs } = options;
  const { clock = systemClock, now = () => new Date(), serverTime = () => client.serverTime() } = options;
  const enabled = gates.enabled('StatefulSetAutoDeletePVC');
  const shared = { client, logger, namespaces, metrics: createInformerMetrics(registry), clock };
  const claimInformer = createInformer({
    ...shared,
    resource: persistentVolumeClaims,
    projection: slimClaim,
    indexes: {
      [byStem]: (claim) => {
        const claimName = parseClaimName(claim);
        return claimName === undefined ? [] : [claimName.stem];
      },
      [byPod]: (claim) => {
        const pod = controllingPod(claim);
        return pod === undefined ? [] : [podKeyOf(claim, pod)];
      },
      [byChangeable]: (claim) => changeableOwners(claim, options.workloads).map(({ uid }) => uid),
    },
  });
  const podInformer = createInformer({ ...shared, resource: pods, projection: slimPod });
  const kinds = options.workloads.map((resource) => {
    const informer = createInformer({
      ...shared,
      resource,
      projection: slimWorkload(resource),
      indexes: { [byStem]: cachedStemsOf },
      // A kind that is not there yet, or not any more, must not hold up the others.
      optional: options.workloads.length > 1,
    });
    return { resource, informer, store: informer.store };
  });
  const claims = claimInformer.store;
  const lastPods = createLastPods();
  const stock = createStockWatch({ clock, logger, yields: options.yieldToStockController });
  const endings = createEndings(clock);
  const notices = createNotices(options.events, logger);
  const view = createView({
    claims,
    pods: podInformer.store,
    workloads: kinds,
    lastPods,
    stock,
    endings,
    gates,
    now,
    serverTime,
  });
  const metrics = createMetrics(registry, () =>
    kinds.flatMap(({ store }) => [...store.values()].map((workload) => policyOf(workload))),
  );
  reportKinds(registry, () =>
    kinds.map(({ resource, informer }) => ({ resource, isFollowed: informer.isFollowing() })),
  );
  const reconcile = createReconcile({
    view,
    look: createLiveLook(
      client,
      gates,
      kinds.map(({ resource, informer }) => ({ resource, isFollowing: informer.isFollowing })),
    ),
    writer: createClaimWriter({ client, logger, metrics }),
    notices,
    clock,
    stock,
  });

  const reconcileKey = async (key: string, signal: AbortSignal): Promise<ReconcileResult> => {
    const subject = parseSubject(key);
    const resource = kinds.find((kind) => prefixOf(kind.resource) === subject.prefix)?.resource;
    if (resource !== undefined) {
      const owner = view.workload(resource, subject.objectKey);
      if (owner === undefined) {
        return { kind: 'done' };
      }
      notices.warned(owner, warningsOf(owner, gates, stock.isSuspected));
      return reconcile.workload(owner, signal);
    }
    const claim = claims.get(subject.objectKey);
    if (claim === undefined || (view.workloadsOf(claim).length > 0 && !view.lacksTemplate(claim))) {
      return { kind: 'done' };
    }
    return workloadMightBeUnseen(claim)
      ? { kind: 'requeueAfter', delay: unseenDelay }
      : reconcile.leftover(claim, signal);
  };

  /** It names a workload whose kind can't be read at the moment: that it is not in the store does not mean that it is gone. */
  const workloadMightBeUnseen = (claim: PersistentVolumeClaim): boolean =>
    kinds.some(({ resource, informer }) => {
      const kind = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      return (
        !informer.isFollowing(claim.metadata.namespace) &&
        (referencesOf(claim).some((reference) => isOfKind(reference, kind)) ||
          workloadsNamedOn(claim).some((workload) => isOfTiedKind(workload, resource)))
      );
    });

  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: concurrentSyncs,
    clock,
    groupOf: (key) => parseKey(parseSubject(key).objectKey).namespace ?? '',
    // The claims of a set share what they can: sets have nothing to share.
    batchSize: 1,
    openBatch: () => undefined,
    reconcile: (key, _batch, signal) => reconcileKey(key, signal),
  });
  const { queue } = controller;

  const wakeClaim = (claim: PersistentVolumeClaim, initial = false): void => {
    const owners = view.workloadsOf(claim);
    if ((owners.length === 0 && mightBeLeftover(claim)) || view.lacksTemplate(claim)) {
      queue.add(subjectOf(persistentVolumeClaims, claim), initial ? 'initial' : 'event');
    }
    for (const owner of owners) {
      const decision = decide(view.snapshot(owner, claim));
      if (decision.kind === 'none') {
        stock.forget(claim);
      }
      if (decision.kind === 'askLive' && isHeld(claim) && !initial) {
        queue.addAfter(subjectOf(owner.resource, owner.workload), lookBackTime);
      } else if (decision.kind !== 'none' || notices.hasNews(claim, decision)) {
        queue.add(subjectOf(owner.resource, owner.workload), initial ? 'initial' : 'event');
      }
    }
  };
  const wakeWithoutTemplate = (workload: Workload, initial = false): void => {
    for (const claim of view.controlledBy(workload)) {
      if (view.lacksTemplate(claim)) {
        wakeClaim(claim, initial);
      }
    }
  };
  const claimsOfPod = (pod: Pod): readonly PersistentVolumeClaim[] => [
    ...view.workloadsNamedBy(pod).flatMap(({ workload }) => view.claimsOfPod(workload, pod)),
    ...claims.byIndex(byPod, objectKey(pod)),
  ];
  const wakeClaimsOfPod = (pod: Pod): void => {
    for (const claim of claimsOfPod(pod)) {
      wakeClaim(claim);
    }
  };
  const forgetLastPods = (workload: Workload): void => {
    for (const claim of view.claimsOf(workload)) {
      lastPods.forget(claim);
    }
  };

  for (const { resource, informer } of kinds) {
    informer.addHandler({
      added: (workload, initial) => {
        endings.saw(workload);
        queue.add(subjectOf(resource, workload), initial ? 'initial' : 'event');
        // What another workload has put on a claim that is named after both now goes.
        for (const claim of view.claimsOf(workload)) {
          if (view.workloadsOf(claim).length > 1) {
            wakeClaim(claim, initial);
          }
        }
        wakeWithoutTemplate(workload, initial);
      },
      updated: (before, after) => {
        endings.saw(after);
        if (saysTheSame(before, after)) {
          return;
        }
        // A policy does not apply to what was scaled down before it was Delete, nor to what a window kept until it went.
        if (policyOf(after).whenScaled !== 'Delete' || (asksForWindow(before) && !asksForWindow(after))) {
          forgetLastPods(after);
        }
        queue.add(subjectOf(resource, after));
        if (stemsOf(before).join() !== stemsOf(after).join()) {
          for (const claim of [...view.claimsOf(before), ...view.claimsOf(after)]) {
            wakeClaim(claim);
          }
          wakeWithoutTemplate(after);
        }
      },
      deleted: (last) => {
        endings.ended(last, deletionWindowOf(last, gates));
        forgetLastPods(last);
        notices.forget(last);
        for (const claim of view.claimsOf(last)) {
          wakeClaim(claim);
        }
      },
    });
  }
  /** @param before of a claim that was made just now: none */
  const learnOfStock = (before: readonly OwnerReference[], claim: PersistentVolumeClaim): void => {
    for (const owner of view.workloadsOf(claim)) {
      if (isWrittenByStock(before, view.snapshot(owner, claim))) {
        stock.sawItAtWork();
      }
    }
  };
  claimInformer.addHandler({
    added: (claim, initial) => {
      if (!initial) {
        learnOfStock([], claim);
      }
      wakeClaim(claim, initial);
    },
    updated: (before, after) => {
      learnOfStock(referencesOf(before), after);
      // Should its window go, it is not to be given to a pod that went while it waited.
      if (markOf(after) !== undefined) {
        lastPods.forget(after);
      }
      wakeClaim(after);
    },
    deleted: (last) => {
      lastPods.forget(last);
      notices.forget(last);
      stock.forget(last);
    },
  });
  podInformer.addHandler({
    added: (pod) => {
      for (const claim of claimsOfPod(pod)) {
        lastPods.forget(claim);
      }
      wakeClaimsOfPod(pod);
    },
    updated: (before, after) => {
      if (controllerOf(before)?.uid !== controllerOf(after)?.uid) {
        wakeClaimsOfPod(after);
      }
    },
    deleted: (last) => {
      const owner = view.workloadOfPod(last);
      if (enabled && owner !== undefined && policyOf(owner.workload).whenScaled === 'Delete') {
        for (const claim of view.claimsOfPod(owner.workload, last)) {
          if (markOf(claim) === undefined) {
            lastPods.remember(claim, last.metadata.uid);
          }
        }
      }
      wakeClaimsOfPod(last);
    },
  });
  return {
    informers: [...kinds.map(({ informer }) => informer), podInformer, claimInformer],
    controllers: [controller],
  };
}

/** What holds a claim confirms it at once, as a rule: until somebody else does, milliseconds. */
const lookBackTime = 2_000;

/** Between two looks at a claim whose workload might be unseen, milliseconds. */
const unseenDelay = 30_000;

/** Held, marked, tied, or controlled by a pod that it is named after: a closer look shows whether a workload left it so. */
function mightBeLeftover(claim: PersistentVolumeClaim): boolean {
  return (
    !isTerminating(claim) &&
    (isHeld(claim) || [markOf, tieOf, controllingPod].some((of) => of(claim) !== undefined))
  );
}

function asksForWindow({ metadata }: Workload): boolean {
  return metadata.annotations?.[workloadAnnotations.grace] !== undefined;
}

type AnyResource = Pick<WorkloadResource, 'group' | 'plural'>;

/** A key of the queue: the kind and the object's key, `statefulsets.apps shop/web`. */
function subjectOf(resource: AnyResource, object: KubernetesObject): string {
  return `${prefixOf(resource)} ${objectKey(object)}`;
}

function parseSubject(key: string): { readonly prefix: string; readonly objectKey: string } {
  const [prefix = '', rest = ''] = key.split(' ');
  return { prefix, objectKey: rest };
}

function prefixOf({ group, plural }: AnyResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
