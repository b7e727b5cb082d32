import {
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import {
  guardedWrite,
  resultOfWrite,
  seenOnlyLiveDelay,
  writeOutcome,
  type ApiClient,
  type EventRecorder,
  type Look,
  type ReconcileResult,
  type Store,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import { decide, type Decision, type Live } from './decide.ts';
import type { HoldOff } from './hold-off.ts';
import type { LiveDefault } from './live-default.ts';
import type { Metrics } from './metrics.ts';
import { forbiddenWords, perhapsForbiddenWords, refusalOf } from './refusal.ts';
import type { Rehearsal } from './rehearsal.ts';
import { slimClaim } from './slim.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Returns the default class in the cache. */
  readonly cachedDefault: () => StorageClass | undefined;
  readonly rehearsal: Rehearsal;
  readonly holdOff: HoldOff;
  /** Wakes every waiting claim. */
  readonly wakeAll: () => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
}

/** Creates the reconcile: it takes a snapshot, calls `decide`, and carries out the decision. */
export function createReconcile(options: ReconcileOptions) {
  const { client, claims, cachedDefault, rehearsal, holdOff, wakeAll, logger, metrics, events } = options;

  const recordRefusal = (claim: PersistentVolumeClaim, className: string, words: string): void => {
    events.record(persistentVolumeClaims, claim, {
      type: 'Warning',
      reason: 'StorageClassAssignmentFailed',
      action: 'AssignStorageClass',
      note: `Default storage class "${className}" was not assigned: ${words}`,
    });
  };

  /** Records the server's words about claims that are held together on each of them, once. */
  const recordNews = (claim: PersistentVolumeClaim, className: string): void => {
    const words = holdOff.news(claim);
    if (words !== undefined) {
      recordRefusal(claim, className, words);
    }
  };

  const assigned = (claim: PersistentVolumeClaim, className: string, reason: string): void => {
    const { namespace, name } = claim.metadata;
    logger.info({ namespace, claim: name, storageClass: className, reason }, 'Storage class assigned');
    events.record(persistentVolumeClaims, claim, {
      type: 'Normal',
      reason: 'StorageClassAssigned',
      action: 'AssignStorageClass',
      note: `Default storage class "${className}" was assigned`,
    });
    if (holdOff.accepted(claim)) {
      wakeAll();
    }
  };

  const refuse = (
    claim: PersistentVolumeClaim,
    className: string,
    words: string,
    delay: number,
  ): ReconcileResult => {
    const { namespace, name } = claim.metadata;
    recordNews(claim, className);
    logger.warn(
      { namespace, claim: name, storageClass: className, says: words, retryInMs: Math.round(delay) },
      'Storage class refused',
    );
    return { kind: 'requeueAfter', delay };
  };

  const assign = async (
    claim: PersistentVolumeClaim,
    className: string,
    reason: string,
    look: Look | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const round = holdOff.trying(claim);
    const written = await guardedWrite(
      () =>
        client.patch(persistentVolumeClaims, claim.metadata, assignPatch(claim, className), {
          projection: slimClaim,
          signal,
          ...(look === undefined ? {} : { look }),
        }),
      ({ spec }) => spec?.storageClassName !== undefined,
    );
    metrics.tried(writeOutcome(written));
    switch (written.kind) {
      case 'written':
        assigned(claim, className, reason);
        return { kind: 'done' };
      case 'gone':
      case 'outdated':
        return resultOfWrite(written);
      case 'failed': {
        const refusal = refusalOf(written.error);
        switch (refusal.kind) {
          case 'transient':
            throw written.error;
          case 'forbidden': {
            const delay = holdOff.forbidden(claim, className, forbiddenWords(refusal.words), round);
            if (!holdOff.isHeld(claim)) {
              recordRefusal(claim, className, perhapsForbiddenWords(refusal.words));
            }
            return refuse(claim, className, refusal.words, delay);
          }
          case 'refused':
            recordRefusal(claim, className, refusal.words);
            return refuse(claim, className, refusal.words, holdOff.refused(claim, className));
        }
      }
    }
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'rehearse' | 'askLive' }>,
    key: ObjectKey,
    look: Look | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone': {
        const { claim, reason } = decision;
        const delay = decision.reason === 'Refused' ? decision.delay : seenOnlyLiveDelay;
        logger.debug({ key, reason, retryInMs: delay }, 'Postponed');
        recordNews(claim, decision.className);
        return { kind: 'requeueAfter', delay };
      }
      case 'assign':
        return assign(decision.claim, decision.class.metadata.name, decision.reason, look, signal);
    }
  };

  return async (key: ObjectKey, askLive: LiveDefault, signal: AbortSignal): Promise<ReconcileResult> => {
    let live: Live | undefined;
    let look: Look | undefined;
    let rehearsed = rehearsal.isOver();
    for (;;) {
      const claim = claims.get(key);
      const cached = cachedDefault();
      const wait =
        claim === undefined || cached === undefined ? 0 : holdOff.wait(claim, cached.metadata.name);
      const decision = decide({ claim, cachedDefault: cached, live, rehearsed, wait });
      switch (decision.kind) {
        case 'rehearse':
          await rehearsal.play(decision.claim, decision.class?.metadata.name, signal);
          // This holds even if the rehearsal showed nothing: then the real patch does.
          rehearsed = true;
          break;
        case 'askLive':
          ({ live, look } = await askLive(decision.cachedDefault, signal));
          break;
        default: {
          const answer = live;
          // While the write waits to be sent, the watch might show another default, and a class is never
          // taken back.
          const stillHolds = (): boolean =>
            decide({
              claim: claims.get(key),
              cachedDefault: cachedDefault(),
              live: answer,
              rehearsed: true,
              wait: 0,
            }).kind === decision.kind;
          return carryOut(decision, key, look && { ...look, stillHolds }, signal);
        }
      }
    }
  };
}
