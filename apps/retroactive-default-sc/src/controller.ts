import {
  objectKey,
  persistentVolumeClaims,
  storageClasses,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  composeApp,
  namespaceOf,
  systemClock,
  wake,
  type ApiClient,
  type App,
  type AppParts,
  type Composition,
  type Priority,
  type Woken,
} from '@holdfast/runtime';
import { createCachedDefault } from './cached-default.ts';
import { isWaiting } from './decide.ts';
import type { GateName } from './gates.ts';
import { createHoldOff } from './hold-off.ts';
import { liveClasses } from './live-classes.ts';
import { createLiveDefaults } from './live-default.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile } from './reconcile.ts';
import { createRehearsal } from './rehearsal.ts';
import { slimClaim, slimStorageClass } from './slim.ts';
import { wakeInPortions } from './wake-in-portions.ts';

/**
 * Composes the app. A claim waits if it has neither class nor volume.
 *
 * Waiting claims are woken:
 * - one claim, when it is added or changed while there is a default class;
 * - all at once, when another class becomes the default, and at any change of a class while an unreadable one
 *   might be the default;
 * - all, when the API server lets the first claim have a class after it had forbidden all.
 *
 * While there is no default, one claim is woken, until the API server was asked whether it allows such
 * changes.
 *
 * @param connectForDryRun creates a client like the app's, whose writes are all dry runs.
 */
export function retroactiveDefault(app: App<GateName>, connectForDryRun: () => ApiClient): void {
  const { client, logger, registry, events, clock } = app;
  // With the gate off nothing is watched, so that nothing is ever woken; the process itself continues.
  const when = app.gates.enabled('RetroactiveDefaultStorageClass');
  const byState = { state: (claim: PersistentVolumeClaim) => (isWaiting(claim) ? ['waiting'] : []) };
  const claims = app.watch(persistentVolumeClaims, slimClaim, byState, { when });
  const classes = app.watch(storageClasses, slimStorageClass, {}, { when });
  const waitingClaims = (): readonly PersistentVolumeClaim[] => claims.store.byIndex('state', 'waiting');
  const wakeAll = (priority: Priority = 'event'): void => wakeInPortions(queue, waitingClaims(), priority);
  const holdOff = createHoldOff(clock);
  const rehearsal = createRehearsal({ connectForDryRun, logger, events, holdOff, waitingClaims, clock });
  const cachedDefault = createCachedDefault({ classes: () => classes.store.values(), wakeAll });
  classes.addHandler(cachedDefault.handler);
  claims.addHandler({ deleted: holdOff.forget });
  const present = (claim: PersistentVolumeClaim): Woken => {
    if (!isWaiting(claim)) {
      holdOff.forget(claim);
      return undefined;
    }
    const isWanted = cachedDefault.current() !== undefined || (!rehearsal.isOver() && queue.length === 0);
    return isWanted ? objectKey(claim) : undefined;
  };

  const openLiveDefault = createLiveDefaults(systemClock, liveClasses(client));
  const { queue } = app.controller({
    wakes: [wake(claims, { present })],
    groupOf: namespaceOf,
    // A batch of claims from all namespaces shares one live list of the classes.
    mixedBatches: true,
    openBatch: () => cachedDefault.asking(openLiveDefault()),
    reconcile: createReconcile({
      client,
      claims: claims.store,
      cachedDefault: cachedDefault.current,
      rehearsal,
      holdOff,
      wakeAll,
      logger,
      metrics: createMetrics(registry, () => waitingClaims().length),
      events,
    }),
  });
}

export interface RetroactiveDefaultOptions extends Omit<AppParts<GateName>, 'name'> {
  /** See {@link retroactiveDefault}. */
  readonly connectForDryRun: () => ApiClient;
}

/** Composes the app without a process around it. */
export function createRetroactiveDefault(options: RetroactiveDefaultOptions): Composition {
  const { connectForDryRun, ...parts } = options;
  return composeApp({ ...parts, name: 'retroactive-default-sc' }, (app) =>
    retroactiveDefault(app, connectForDryRun),
  );
}
