import {
  addFinalizerPatch,
  finalizers,
  hasFinalizer,
  persistentVolumeClaims,
  type JsonPatch,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  guardedWrite,
  resultOfWrite,
  seenOnlyLiveDelay,
  writeOutcome,
  type ApiClient,
  type Clock,
  type EventRecorder,
  type Fights,
  type Look,
  type ReconcileResult,
  type Store,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide, type Decision, type Live, type Postponement, type Snapshot } from './decide.ts';
import type { HeldClaims, Hold } from './held-claims.ts';
import { firstToAge, StillListing, type LiveLookup } from './live-lookup.ts';
import type { Metrics } from './metrics.ts';
import { nameSomePods, podsNamed } from './name-some-pods.ts';
import { releasePatch } from './release-patch.ts';
import { patchedClaim } from './slim.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly claims: Store<PersistentVolumeClaim>;
  /** Returns the pods in the cache that name a claim. */
  readonly podsNaming: (claim: ObjectKey) => readonly Pod[];
  /** Returns the nodes to which the claim's volume is attached, according to the cache. */
  readonly nodesAttachedTo: (claim: PersistentVolumeClaim) => ReadonlySet<string>;
  /** Whether gate StorageObjectInUseProtection is on. */
  readonly protect: boolean;
  /** Whether gate WaitForVolumeDetach is on. */
  readonly waitForDetach: boolean;
  readonly held: HeldClaims;
  readonly fights: Fights;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Creates the reconcile: it takes a snapshot, calls `decide`, and carries out the decision. */
export function createReconcile(options: ReconcileOptions) {
  const { client, claims, podsNaming, nodesAttachedTo, protect, waitForDetach } = options;
  const { held, fights, events, logger, metrics, clock } = options;

  const patch = async (
    operation: 'add' | 'remove',
    claim: PersistentVolumeClaim,
    operations: JsonPatch,
    reason: string,
    signal: AbortSignal,
    look?: Look,
  ): Promise<ReconcileResult> => {
    const written = await guardedWrite(
      () =>
        client.patch(persistentVolumeClaims, claim.metadata, operations, {
          projection: patchedClaim,
          signal,
          ...(look === undefined ? {} : { look }),
        }),
      (patched) => hasFinalizer(patched, finalizers.pvcProtection) === (operation === 'add'),
    );
    metrics.finalizer(operation, writeOutcome(written));
    if (written.kind === 'written') {
      // In a dry run nothing is stored, and what was not stored is not undone.
      if (written.object.metadata.resourceVersion !== claim.metadata.resourceVersion) {
        fights.wrote(claim.metadata.uid, operation);
      }
      const { namespace, name } = claim.metadata;
      logger.info(
        { namespace, claim: name, finalizer: finalizers.pvcProtection, reason },
        messages[operation],
      );
    }
    return resultOfWrite(written);
  };

  const recordPostponed = (key: ObjectKey, { claim, pods, reason }: Postponement): void => {
    if (!held.postponed(key, claim, reason, pods)) {
      return;
    }
    const { namespace, name } = claim.metadata;
    logger.info(
      { namespace, claim: name, pods: pods.slice(0, podsNamed), podCount: pods.length, reason },
      'Deletion postponed',
    );
    events.record(persistentVolumeClaims, claim, {
      type: 'Normal',
      reason: 'DeletionPostponed',
      action: 'Postpone',
      note: `${postponements[reason]} ${nameSomePods(pods)}`,
    });
  };

  /**
   * Records an Event only for a claim that was held; thousands that no pod ever used are released without
   * one.
   */
  const recordReleased = (claim: PersistentVolumeClaim, { userGoneAt }: Hold): void => {
    if (userGoneAt !== undefined) {
      metrics.released(clock.now() - userGoneAt);
    }
    events.record(persistentVolumeClaims, claim, {
      type: 'Normal',
      reason: 'ClaimReleased',
      action: 'Release',
      note: 'No pod uses the claim any more; its deletion goes on',
    });
  };

  const recordFight = (claim: PersistentVolumeClaim, pause: number): void => {
    const { namespace, name } = claim.metadata;
    logger.warn(
      { namespace, claim: name, pause },
      'Another client removes the finalizer each time it is added',
    );
    events.record(persistentVolumeClaims, claim, {
      type: 'Warning',
      reason: 'ProtectionUndone',
      action: 'Protect',
      note: `Another client removes finalizer ${finalizers.pvcProtection} each time. It is put back within ${String(fightPause.longest / 1_000)} s; if the claim is deleted meanwhile, pods that use it lose their data`,
    });
  };

  const protectClaim = async (
    claim: PersistentVolumeClaim,
    reason: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const answer = fights.next(claim.metadata.uid, 'add');
    if (answer.kind === 'pause') {
      if (answer.begins) {
        recordFight(claim, answer.left);
      }
      return { kind: 'requeueAfter', delay: answer.left };
    }
    return patch('add', claim, addFinalizerPatch(claim, finalizers.pvcProtection), reason, signal);
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'askPods' | 'askAttachments' }>,
    key: ObjectKey,
    look: Look | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone':
        recordPostponed(key, decision);
        return decision.seen === 'cache'
          ? { kind: 'done' }
          : { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'addFinalizer':
        return protectClaim(decision.claim, decision.reason, signal);
      case 'removeFinalizer': {
        const { claim, reason } = decision;
        const hold = held.find(key, claim);
        const result = await patch('remove', claim, releasePatch(claim), reason, signal, look);
        if (result.kind === 'done' && hold !== undefined) {
          held.forget(key, claim);
          recordReleased(claim, hold);
        }
        return result;
      }
    }
  };

  const snapshotOf = (key: ObjectKey, live: Live | undefined): Snapshot => {
    const claim = claims.get(key);
    return {
      claim,
      cachedPods: podsNaming(key),
      cachedNodes: claim === undefined ? new Set() : nodesAttachedTo(claim),
      live,
      protect,
      waitForDetach,
    };
  };

  const judge = async (key: ObjectKey, batch: LiveLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    let live: Live | undefined;
    let look: Look | undefined;
    for (;;) {
      const decision = decide(snapshotOf(key, live));
      switch (decision.kind) {
        case 'askPods': {
          const { claim } = decision;
          const answer = await batch.podsNaming(claim, signal);
          look = answer.look;
          live = { claimUid: claim.metadata.uid, pods: answer.pods, nodes: undefined };
          break;
        }
        case 'askAttachments': {
          const { claim } = decision;
          const answer = await batch.nodesAttachedTo(claim, signal);
          look = look === undefined ? answer.look : firstToAge(look, answer.look);
          live = { claimUid: claim.metadata.uid, pods: live?.pods ?? [], nodes: answer.nodes };
          break;
        }
        default: {
          // While the write waits to be sent, the watch might show a pod that uses the claim.
          const stillHolds = (): boolean => decide(snapshotOf(key, live)).kind === decision.kind;
          return carryOut(decision, key, look && { ...look, stillHolds }, signal);
        }
      }
    }
  };

  return async (key: ObjectKey, batch: LiveLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    try {
      return await judge(key, batch, signal);
    } catch (error) {
      if (error instanceof StillListing) {
        logger.debug({ key }, 'The list of pods or attachments takes long');
        if (error.isInVain) {
          logger.warn(
            { key },
            'The list of pods or attachments takes too long for claims to be released by it: it would be too old at its end',
          );
        }
        return { kind: 'requeueAfter', delay: error.delay };
      }
      throw error;
    }
  };
}

/**
 * How long a claim stays without its finalizer that another client removes each time, in milliseconds. Its data depend
 * on the finalizer, so this is as short as the API server can bear.
 */
export const fightPause = { first: 1_000, longest: 30_000 };
/**
 * In milliseconds. A client that removes the finalizer less often, such as every ten seconds, costs the API server too
 * little to leave the claim without it.
 */
export const fightWindow = 5_000;

const messages = { add: 'Finalizer added', remove: 'Finalizer removed' } as const;

const postponements: Readonly<Record<Postponement['reason'], string>> = {
  InUse: 'Used by',
  StillAttached: 'The volume is still attached to the node of the terminated',
};
