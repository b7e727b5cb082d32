import {
  isTerminated,
  objectKey,
  persistentVolumeClaims,
  type JsonPatch,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  createFights,
  guardedWrite,
  namespaceOf,
  resultOfWrite,
  seenOnlyLiveDelay,
  wake,
  type App,
  type ReconcileResult,
  type Watched,
} from '@holdfast/runtime';
import { StillListing, type LiveLookup } from '../live-lookup.ts';
import { claimKeysOf } from '../decide/pod-claims.ts';
import { removeConditionPatch, setConditionPatch } from './condition-patch.ts';
import { slimClaim } from '../slim.ts';
import { conditionType, decideUnused } from './decide.ts';

export interface UnusedConditionOptions {
  readonly claims: Watched<PersistentVolumeClaim, string>;
  readonly pods: Pick<Watched<Pod>, 'addHandler'>;
  readonly podsNaming: (claim: ObjectKey) => readonly Pod[];
  /** Opens what the claims of a batch share. */
  readonly openBatch: (keys: readonly ObjectKey[]) => LiveLookup;
  /** Whether gate ClaimUnusedCondition is on. If it is off, our conditions are removed from claims. */
  readonly enabled: boolean;
}

/**
 * Keeps condition `Unused` in the status of claims. A claim is woken:
 * - when it is added or changed, and lacks the condition (gate off: and has one);
 * - when its condition changes, because a pod that came or went meanwhile was judged by the old one;
 * - when the controller starts, if the condition says that the claim is used;
 * - when a pod that names it is added, deleted, or terminated.
 */
export function unusedCondition(app: App, options: UnusedConditionOptions): void {
  const { client, now, clock, logger, events } = app;
  const { claims, pods, podsNaming, openBatch, enabled } = options;

  const statusOf = (claim: PersistentVolumeClaim): string | undefined =>
    claim.status?.conditions?.find(({ type }) => type === conditionType)?.status;

  const fights = createFights({ clock, pause: fightPause });
  claims.addHandler({ deleted: ({ metadata }) => fights.forget(metadata.uid) });

  const recordFight = (claim: PersistentVolumeClaim, pause: number): void => {
    const { namespace, name } = claim.metadata;
    logger.warn({ namespace, claim: name, pause }, 'Another client undoes each write of the condition');
    events.record(persistentVolumeClaims, claim, {
      type: 'Warning',
      reason: 'ConditionUndone',
      action: 'SetCondition',
      note: `Another client undoes each write of condition ${conditionType}; it is written less often`,
    });
  };

  /** @param status that the condition is to have; undefined if it is to go. */
  const patch = async (
    claim: PersistentVolumeClaim,
    operations: JsonPatch,
    status: string | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { uid, resourceVersion } = claim.metadata;
    const answer = fights.next(uid, status ?? 'absent');
    if (answer.kind === 'pause') {
      if (answer.begins) {
        recordFight(claim, answer.left);
      }
      return { kind: 'requeueAfter', delay: answer.left };
    }
    const written = await guardedWrite(
      () =>
        client.patch(persistentVolumeClaims, claim.metadata, operations, {
          subresource: 'status',
          projection: slimClaim,
          signal,
        }),
      (patched) => statusOf(patched) === status,
    );
    // In a dry run nothing is stored, and what was not stored is not undone.
    if (written.kind === 'written' && written.object.metadata.resourceVersion !== resourceVersion) {
      fights.wrote(uid, status ?? 'absent');
    }
    return resultOfWrite(written);
  };

  const judge = async (key: ObjectKey, batch: LiveLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    let livePods: readonly Pod[] | undefined;
    for (;;) {
      const claim = claims.store.get(key);
      const decision = decideUnused({ claim, cachedPods: podsNaming(key), livePods, enabled });
      switch (decision.kind) {
        case 'none':
          return seenOnlyLive(livePods);
        case 'askPods':
          livePods = (await batch.podsNaming(decision.claim, signal)).pods;
          break;
        case 'set': {
          const { claim, state } = decision;
          const result = await patch(claim, setConditionPatch(claim, state, now()), state.status, signal);
          return result.kind === 'done' && state.status === 'False' ? seenOnlyLive(livePods) : result;
        }
        case 'remove':
          return patch(decision.claim, removeConditionPatch(decision.claim), undefined, signal);
      }
    }
  };

  const needsLook = (claim: PersistentVolumeClaim): boolean => (statusOf(claim) !== undefined) !== enabled;
  const added = (claim: PersistentVolumeClaim, initial: boolean): ObjectKey | undefined =>
    // No event reports a pod that went while no controller ran.
    needsLook(claim) || (initial && statusOf(claim) === 'False') ? objectKey(claim) : undefined;
  const updated = (before: PersistentVolumeClaim, after: PersistentVolumeClaim): ObjectKey | undefined =>
    needsLook(after) || statusOf(before) !== statusOf(after) ? objectKey(after) : undefined;
  const ended = (before: Pod, after: Pod): readonly ObjectKey[] | undefined =>
    isTerminated(before) === isTerminated(after) ? undefined : claimKeysOf(after);

  app.controller({
    name: 'claim-unused-condition',
    wakes: [
      wake(claims, { added, updated }),
      ...(enabled ? [wake(pods, { added: claimKeysOf, updated: ended, deleted: claimKeysOf }, 'event')] : []),
    ],
    groupOf: namespaceOf,
    openBatch,
    reconcile: async (key, batch, signal) => {
      try {
        return await judge(key, batch, signal);
      } catch (error) {
        if (error instanceof StillListing) {
          return { kind: 'requeueAfter', delay: error.delay };
        }
        throw error;
      }
    },
  });
}

/** How long the condition is left alone that another client fights over, in milliseconds. No data depend on it. */
const fightPause = { first: 10_000, longest: 300_000 };

/** A pod that is not in the cache might go without an event, so the claim must be looked at again. */
function seenOnlyLive(livePods: readonly Pod[] | undefined): ReconcileResult {
  return livePods === undefined ? { kind: 'done' } : { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
}
