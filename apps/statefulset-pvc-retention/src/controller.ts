import { persistentVolumeClaims, pods } from '@holdfast/core';
import { composeApp, wake, type App, type AppParts, type Composition, type Tenure } from '@holdfast/runtime';
import { parseClaimName } from './claim-name.ts';
import { createClaimWriter } from './claim-writer.ts';
import { controllingPod } from './decide/references.ts';
import { createEndings } from './endings.ts';
import type { GateName } from './gates.ts';
import { createFoughtOver } from './fought-over.ts';
import { createLastPods } from './last-pods.ts';
import { createLiveLook } from './live-look.ts';
import { createMetrics, reportKinds } from './metrics.ts';
import { createNotices } from './notices.ts';
import { ofLastPair } from './of-last-pair.ts';
import { createReconcileSubject } from './reconcile-subject.ts';
import { createReconcile } from './reconcile.ts';
import { createRemember } from './remember.ts';
import { saysTheSame, slimClaim, slimPod, slimWorkload } from './slim.ts';
import { createStockWatch } from './stock-watch.ts';
import { createStrayMarks } from './stray-marks.ts';
import { namespaceOfSubject } from './subject.ts';
import { changeableUids, createView, namedOnKeys, podKeyOf } from './view.ts';
import { createRetentionWakes } from './wakes.ts';
import { cachedStemsOf, deletionWindowOf, policyOf, warningsOf, type WorkloadResource } from './workload.ts';

export interface RetentionOptions {
  /** The kinds that own claims. */
  readonly workloads: readonly WorkloadResource[];
  /** Whether a stock controller that carries out the policies goes first, see `giveWay`. */
  readonly yieldToStockController: boolean;
  /**
   * Returns the API server's time; undefined if it is not known. A deadline has passed if both clocks say so.
   * Default: the client's estimate.
   */
  readonly serverTime?: () => Date | undefined;
  /** Asked before a window counts as over. */
  readonly tenure: Pick<Tenure, 'nothingDueBefore' | 'askNothingDueBefore'>;
}

/**
 * Composes the app. The key of its queue is the workload, so that its claims share a live look.
 *
 * A workload is woken:
 * - when it is added, or a change affects its claims;
 * - when a claim named after it is added or changed, and there is something to do for that claim;
 * - when a pod of its name is added, deleted, or given to another controller, and there is something to do
 *   for a claim of its ordinal.
 *
 * A claim named after no workload has a key of its own: a workload that is gone might have left something on
 * it. So has a claim that is left from a workload which no longer has a template for it. If its mark or tie
 * names a workload, it is also woken when one of that name is added.
 */
export function statefulSetPvcRetention(app: App<GateName>, options: RetentionOptions): void {
  const { client, logger, registry, gates, clock, now } = app;
  const { workloads, serverTime = () => client.serverTime(), tenure } = options;
  const kinds = workloads.map((resource) => {
    const informer = app.watch(
      resource,
      slimWorkload(resource),
      { stem: cachedStemsOf },
      // A kind that does not exist yet, or no longer does, must not hold up the others.
      { optional: workloads.length > 1 },
    );
    return { resource, informer, store: informer.store, isFollowing: informer.isFollowing };
  });
  const podInformer = app.watch(pods, slimPod);
  const claimInformer = app.watch(persistentVolumeClaims, slimClaim, {
    stem: (claim) => {
      const claimName = parseClaimName(claim);
      return claimName === undefined ? [] : [claimName.stem];
    },
    pod: (claim) => {
      const pod = controllingPod(claim);
      return pod === undefined ? [] : [podKeyOf(claim, pod)];
    },
    changeable: (claim) => changeableUids(claim, workloads),
    namedOn: namedOnKeys,
  });
  const claims = claimInformer.store;
  const lastPods = createLastPods();
  const strayMarks = createStrayMarks();
  const stock = createStockWatch({ clock, logger, yields: options.yieldToStockController });
  const endings = createEndings(clock, (workload) => claims.byIndex('namedOn', workload).length > 0);
  const notices = createNotices(app.events, logger);
  const foughtOver = createFoughtOver(clock, app.events, logger);
  const view = createView({
    claims,
    pods: podInformer.store,
    workloads: kinds,
    lastPods,
    strayMarks,
    stock,
    endings,
    gates,
    now,
    serverTime,
    tenure,
  });
  const wakes = createRetentionWakes({ claims, view, stock, notices });
  const isUnchanged = ofLastPair(saysTheSame);

  // This comes before the wakes, because decisions read what is remembered.
  const remember = createRemember({
    view,
    lastPods,
    strayMarks,
    stock,
    endings,
    notices,
    claimsOfPod: wakes.claimsOfPod,
    saysTheSame: isUnchanged,
    deletionWindowOf: (last) => deletionWindowOf(last, gates),
    enabled: gates.enabled('StatefulSetAutoDeletePVC'),
  });
  kinds.forEach(({ informer }) => informer.addHandler(remember.workload));
  claimInformer.addHandler(remember.claim);
  claimInformer.addHandler({ deleted: foughtOver.forget });
  podInformer.addHandler(remember.pod);

  const metrics = createMetrics(registry, () =>
    kinds.flatMap(({ store }) => [...store.values()].map((workload) => policyOf(workload))),
  );
  reportKinds(registry, () =>
    kinds.map(({ resource, isFollowing }) => ({ resource, isFollowed: isFollowing() })),
  );
  app.controller({
    wakes: [
      ...kinds.map(({ resource, informer }) =>
        wake(informer, {
          added: (workload, initial) => wakes.workload(resource, workload, initial),
          updated: (before, after) =>
            isUnchanged(before, after) ? undefined : wakes.workloadChanged(resource, before, after),
          deleted: wakes.workloadGone,
        }),
      ),
      wake(claimInformer, { present: wakes.claim }),
      wake(podInformer, { added: wakes.pod, updated: wakes.podChanged, deleted: wakes.pod }, 'event'),
    ],
    groupOf: namespaceOfSubject,
    // The claims of one set share what they can; different sets have nothing to share.
    batchSize: 1,
    reconcile: createReconcileSubject({
      claims,
      kinds,
      view,
      notices,
      warnings: (owner) => warningsOf(owner, gates, stock.isSuspected),
      reconcile: createReconcile({
        view,
        look: createLiveLook(client, gates, kinds, tenure),
        writer: createClaimWriter({ client, logger, metrics, strayMarks }),
        notices,
        clock,
        stock,
        foughtOver,
      }),
    }),
  });
}

/** Composes the app without a process around it. */
export function createStatefulSetPvcRetention(
  options: Omit<AppParts<GateName>, 'name'> & RetentionOptions,
): Composition {
  return composeApp({ ...options, name: 'statefulset-pvc-retention' }, (app) =>
    statefulSetPvcRetention(app, options),
  );
}
