import {
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import type { ApiClient, EventRecorder, ReconcileResult, Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import { decide, type Decision, type Live } from './decide.ts';
import type { HoldOff } from './hold-off.ts';
import type { LiveDefault } from './live-default.ts';
import type { Metrics } from './metrics.ts';
import { failureOf, forbiddenWords } from './refusal.ts';
import type { Rehearsal } from './rehearsal.ts';
import { slimClaim } from './slim.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** The default class by the cache. */
  readonly cachedDefault: () => StorageClass | undefined;
  readonly rehearsal: Rehearsal;
  readonly holdOff: HoldOff;
  /** Wakes every claim that waits. */
  readonly wakeAll: () => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
}

/** Takes a snapshot, has it decided on, and carries the answer out. */
export function createReconcile(options: ReconcileOptions) {
  const { client, claims, cachedDefault, rehearsal, holdOff, wakeAll, logger, metrics, events } = options;

  const tellRefusal = (claim: PersistentVolumeClaim, className: string, words: string): void => {
    events.record(persistentVolumeClaims, claim, {
      type: 'Warning',
      reason: 'StorageClassAssignmentFailed',
      action: 'AssignStorageClass',
      note: `Default storage class "${className}" was not assigned: ${words}`,
    });
  };

  /** What the server says of all claims is told on each of them, once. */
  const tellNews = (claim: PersistentVolumeClaim, className: string): void => {
    const words = holdOff.news(claim);
    if (words !== undefined) {
      tellRefusal(claim, className, words);
    }
  };

  const refuse = (
    claim: PersistentVolumeClaim,
    className: string,
    words: string,
    delay: number,
  ): ReconcileResult => {
    const { namespace, name } = claim.metadata;
    tellNews(claim, className);
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
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { namespace, name } = claim.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const round = holdOff.trying();
    try {
      await client.patch(persistentVolumeClaims, ref, assignPatch(claim, className), {
        projection: slimClaim,
        signal,
      });
    } catch (error) {
      const failure = failureOf(error);
      switch (failure.kind) {
        case 'gone':
          metrics.tried('skipped');
          return { kind: 'done' };
        case 'changed':
          metrics.tried('skipped');
          return { kind: 'lookAgain', reason: 'the claim has changed' };
        case 'transient':
          metrics.tried('error');
          throw error;
        case 'forbidden':
          metrics.tried('error');
          return refuse(
            claim,
            className,
            failure.words,
            holdOff.forbidden(forbiddenWords(failure.words), round),
          );
        case 'refused':
          metrics.tried('error');
          tellRefusal(claim, className, failure.words);
          return refuse(claim, className, failure.words, holdOff.refused(claim, className));
      }
    }
    metrics.tried('success');
    logger.info({ namespace, claim: name, storageClass: className, reason }, 'Storage class assigned');
    events.record(persistentVolumeClaims, claim, {
      type: 'Normal',
      reason: 'StorageClassAssigned',
      action: 'AssignStorageClass',
      note: `Default storage class "${className}" was assigned`,
    });
    if (holdOff.accepted()) {
      wakeAll();
    }
    return { kind: 'done' };
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'rehearse' | 'askLive' }>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone': {
        const { claim, delay, reason } = decision;
        logger.debug({ key, reason, retryInMs: delay }, 'Postponed');
        tellNews(claim, decision.className);
        return { kind: 'requeueAfter', delay };
      }
      case 'assign':
        return assign(decision.claim, decision.class.metadata.name, decision.reason, signal);
    }
  };

  return async (key: ObjectKey, askLive: LiveDefault, signal: AbortSignal): Promise<ReconcileResult> => {
    let live: Live | undefined;
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
          // Even when it told nothing: the real patch is then what tells.
          rehearsed = true;
          break;
        case 'askLive':
          live = await askLive(decision.cachedDefault, signal);
          break;
        default:
          return carryOut(decision, key, signal);
      }
    }
  };
}
