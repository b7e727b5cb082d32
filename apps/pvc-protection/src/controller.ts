import {
  finalizers,
  hasFinalizer,
  isTerminating,
  objectKey,
  persistentVolumeClaims,
  pods,
  volumeAttachments,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  composeApp,
  createFights,
  namespaceOf,
  wake,
  type App,
  type AppParts,
  type Composition,
  type Wake,
} from '@holdfast/runtime';
import { usesClaim } from './decide.ts';
import { claimKeysOf } from './decide/pod-claims.ts';
import type { GateName } from './gates.ts';
import { createHeldClaims } from './held-claims.ts';
import { liveLists } from './live-lists.ts';
import { createLiveLookups } from './live-lookup.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile, fightPause, fightWindow } from './reconcile.ts';
import { slimClaim, slimPod, slimVolumeAttachment } from './slim.ts';
import { unusedCondition } from './unused-condition/controller.ts';

/**
 * Composes the app.
 *
 * A claim is woken:
 * - when it is added or changed, and lacks the finalizer, or is terminating and has it;
 * - when a pod that names it is added or changed, and does not use it, or no longer does;
 * - when a pod that named it is deleted, even if another pod has taken that name;
 * - with gate WaitForVolumeDetach, when an attachment of its volume is deleted.
 */
export function pvcProtection(app: App<GateName>): void {
  const { client, logger, registry, events, gates, clock } = app;
  const protect = gates.enabled('StorageObjectInUseProtection');
  const waitForDetach = gates.enabled('WaitForVolumeDetach');
  const claims = app.watch(persistentVolumeClaims, slimClaim, { volume: volumeNamesOf });
  const users = app.watch(pods, slimPod, { claim: claimKeysOf });
  const attachments = app.watch(
    volumeAttachments,
    slimVolumeAttachment,
    { volume: attachedVolumes },
    { when: waitForDetach },
  );
  const held = createHeldClaims(clock);
  const fights = createFights({ clock, pause: fightPause, window: fightWindow });
  const forgetHold = (claim: PersistentVolumeClaim): void => held.forget(objectKey(claim), claim);
  claims.addHandler({
    // Another controller might have removed the finalizer, while a finalizer of others keeps the claim.
    updated: (_before, claim) => (isWaiting(claim) ? undefined : forgetHold(claim)),
    deleted: (last) => {
      forgetHold(last);
      fights.forget(last.metadata.uid);
    },
  });

  const needsLook = (claim: PersistentVolumeClaim): boolean =>
    isTerminating(claim) ? holds(claim) : protect && !holds(claim);
  // Pods wake only terminating claims: any other claim is woken by its own deletion.
  const ifWaiting = (key: ObjectKey): PersistentVolumeClaim | undefined => {
    const claim = claims.store.get(key);
    return claim !== undefined && isWaiting(claim) ? claim : undefined;
  };
  const named = (pod: Pod): readonly ObjectKey[] =>
    claimKeysOf(pod).filter((key) => ifWaiting(key) !== undefined);
  const notUsed = (pod: Pod): readonly ObjectKey[] =>
    claimKeysOf(pod).filter((key) => {
      const claim = ifWaiting(key);
      return claim !== undefined && !usesClaim(pod, claim);
    });
  const detached = (attachment: VolumeAttachment): readonly ObjectKey[] =>
    attachedVolumes(attachment)
      .flatMap((volume) => claims.store.byIndex('volume', volume))
      // If the pods are not known yet, the claim is looked at when they are.
      .filter((claim) => users.hasSynced(claim.metadata.namespace) && isWaiting(claim))
      .map(objectKey);

  const podsNaming = (key: ObjectKey): readonly Pod[] => users.store.byIndex('claim', key);
  const lookUp = (isServed: (claim: PersistentVolumeClaim) => boolean) =>
    createLiveLookups({ claims: claims.store, isServed, clock, ...liveLists(client) });
  app.controller({
    wakes: [
      wake(claims, { present: (claim) => (needsLook(claim) ? objectKey(claim) : undefined) }),
      noting(held.userGone, wake(users, { present: notUsed, deleted: named }, 'event')),
      wake(attachments, { deleted: detached }),
    ],
    groupOf: namespaceOf,
    openBatch: lookUp(isTerminating),
    reconcile: createReconcile({
      client,
      claims: claims.store,
      podsNaming,
      nodesAttachedTo: ({ spec }) =>
        new Set(
          attachments.store
            .byIndex('volume', spec?.volumeName ?? '')
            .map(({ spec: { nodeName } }) => nodeName),
        ),
      protect,
      waitForDetach,
      held,
      fights,
      events,
      logger,
      metrics: createMetrics(registry, held.byNamespace),
      clock,
    }),
  });
  unusedCondition(app, {
    claims,
    pods: users,
    podsNaming,
    openBatch: lookUp(() => true),
    enabled: gates.enabled('ClaimUnusedCondition'),
  });
}

/** Composes the app without a process around it. */
export function createPvcProtection(parts: Omit<AppParts<GateName>, 'name'>): Composition {
  return composeApp({ ...parts, name: 'pvc-protection' }, pvcProtection);
}

/** Returns the wake, with a call of `note` for each key before it is queued. */
function noting(note: (key: ObjectKey) => void, join: Wake): Wake {
  return (queue) =>
    join({
      ...queue,
      add: (key, priority) => {
        note(key);
        queue.add(key, priority);
      },
    });
}

function holds(claim: PersistentVolumeClaim): boolean {
  return hasFinalizer(claim, finalizers.pvcProtection);
}

function isWaiting(claim: PersistentVolumeClaim): boolean {
  return isTerminating(claim) && holds(claim);
}

function volumeNamesOf({ spec }: PersistentVolumeClaim): readonly string[] {
  return spec?.volumeName === undefined ? [] : [spec.volumeName];
}

function attachedVolumes({ spec }: VolumeAttachment): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}
