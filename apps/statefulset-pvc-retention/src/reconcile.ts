import {
  persistentVolumeClaims,
  type JsonPatch,
  type ObjectRef,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  isNotFound,
  isOutdated,
  seenOnlyLiveDelay,
  type ApiClient,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { markPatch, ownersPatch, unmarkPatch } from './claim-patch.ts';
import { decide } from './decide/decide.ts';
import type { Decision, OwnersDecision } from './decide/decision.ts';
import { decideLeftover, type Leftover } from './decide/leftover.ts';
import { decideAgain } from './decide/look-back.ts';
import type { Snapshot } from './decide/snapshot.ts';
import type { LiveLook, Question } from './live-look.ts';
import type { Metrics, WriteResult } from './metrics.ts';
import type { Notices } from './notices.ts';
import { slimClaim } from './slim.ts';
import type { KindedWorkload, View } from './view.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly view: View;
  readonly look: LiveLook;
  readonly notices: Notices;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Brings the claims of a workload, or a claim of none, to what they should be. */
export interface Reconcile {
  workload(owner: KindedWorkload, signal: AbortSignal): Promise<ReconcileResult>;
  leftover(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<ReconcileResult>;
}

/** Claims that share a live look at the most: their writes are not to begin long after it. */
const batchSize = 64;

/** What became of a write. */
type Written =
  | { readonly kind: 'success'; readonly claim: PersistentVolumeClaim | undefined }
  | { readonly kind: 'gone' }
  | { readonly kind: 'conflict'; readonly reason: string };

const done: ReconcileResult = { kind: 'done' };

/** Takes snapshots, has them decided on, and carries the answers out. */
export function createReconcile(options: ReconcileOptions): Reconcile {
  const { client, view, look, notices, logger, metrics } = options;

  const write = async (
    count: (result: WriteResult) => void,
    send: () => Promise<PersistentVolumeClaim | undefined>,
  ): Promise<Written> => {
    try {
      const claim = await send();
      count('success');
      return { kind: 'success', claim };
    } catch (error) {
      if (isNotFound(error)) {
        count('gone');
        return { kind: 'gone' };
      }
      if (isOutdated(error)) {
        count('conflict');
        return { kind: 'conflict', reason: error.message };
      }
      count('error');
      throw error;
    }
  };

  const patch = (claim: PersistentVolumeClaim, operations: JsonPatch, signal: AbortSignal) =>
    client.patch(persistentVolumeClaims, refOf(claim), operations, { projection: slimClaim, signal });

  const setOwners = async (decision: OwnersDecision, signal: AbortSignal): Promise<Written> => {
    const { claim, references, operation, owner, reason } = decision;
    const written = await write(
      (result) => metrics.ownerReference(operation, result),
      () => patch(claim, ownersPatch(claim, references), signal),
    );
    if (written.kind === 'success') {
      const { namespace, name } = claim.metadata;
      logger.info(
        { namespace, claim: name, operation, owner: owner && `${owner.kind} ${owner.name}`, reason },
        'Owner references changed',
      );
    }
    return written;
  };

  const mark = async (
    decision: Extract<Decision, { kind: 'mark' | 'unmark' }>,
    signal: AbortSignal,
  ): Promise<Written> => {
    const { kind, claim, reason } = decision;
    const operations = kind === 'mark' ? markPatch(claim, decision.deleteAfter) : unmarkPatch(claim);
    const written = await write(
      (result) => metrics.delayedDeletion(kind, result),
      () => patch(claim, operations, signal),
    );
    if (written.kind === 'success') {
      const { namespace, name } = claim.metadata;
      const deleteAfter = kind === 'mark' ? decision.deleteAfter : undefined;
      logger.info(
        { namespace, claim: name, operation: kind, deleteAfter, reason },
        'Time of deletion changed',
      );
    }
    return written;
  };

  const deleteClaim = async (
    { claim, reason }: Extract<Decision, { kind: 'deleteClaim' }>,
    signal: AbortSignal,
  ): Promise<Written> => {
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    const written = await write(
      (result) => metrics.delayedDeletion('delete', result),
      async () => {
        const preconditions = { uid, resourceVersion };
        await client.delete(persistentVolumeClaims, refOf(claim), { preconditions, signal });
        return undefined;
      },
    );
    if (written.kind === 'success') {
      logger.info({ namespace, claim: name, reason }, 'Claim deleted');
    }
    return written;
  };

  /** Carries out what was looked at, where it had to be. */
  const carryOut = async (
    owner: KindedWorkload,
    snapshot: Snapshot,
    decision: Decision,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const { claim } = snapshot;
    if (claim === undefined) {
      return { result: done };
    }
    switch (decision.kind) {
      case 'none':
        notices.kept(owner, claim, decision);
        return { result: done };
      case 'wait':
        return { result: { kind: 'requeueAfter', delay: decision.until - snapshot.now } };
      case 'postpone':
        return { result: { kind: 'requeueAfter', delay: seenOnlyLiveDelay } };
      case 'lookAgain':
        return { result: decision };
      case 'askLive':
        return { result: { kind: 'lookAgain', reason: 'the cache changed during the look' } };
      case 'setOwners': {
        const written = await setOwners(decision, signal);
        if (written.kind !== 'success' || decision.owner === undefined) {
          return { result: resultOf(written) };
        }
        if (decision.owner.kind === 'Pod') {
          notices.willBeDeleted(owner, claim, `with pod ${decision.owner.name}`);
        }
        return { result: done, added: { ...snapshot, claim: written.claim } };
      }
      case 'mark': {
        const written = await mark(decision, signal);
        if (written.kind === 'success') {
          notices.willBeDeleted(owner, claim, `after ${decision.deleteAfter}`);
        }
        return { result: resultOf(written) };
      }
      case 'unmark':
        return { result: resultOf(await mark(decision, signal)) };
      case 'deleteClaim': {
        const written = await deleteClaim(decision, signal);
        if (written.kind === 'success') {
          notices.willBeDeleted(owner, claim, 'now');
        }
        return { result: resultOf(written) };
      }
    }
  };

  /** After references were added: what the workload no longer says is taken back at once. */
  const lookBack = async (
    owner: KindedWorkload,
    added: readonly Snapshot[],
    signal: AbortSignal,
  ): Promise<readonly ReconcileResult[]> => {
    const factsFor = await look.workload(owner, signal);
    return Promise.all(
      added.map(async (snapshot) => {
        const undo = snapshot.claim && decideAgain(snapshot, factsFor(snapshot.claim));
        return undo === undefined ? done : resultOf(await setOwners(undo, signal));
      }),
    );
  };

  /** A few claims of a workload, with one live look for all of them. */
  const settle = async (
    owner: KindedWorkload,
    batch: readonly Snapshot[],
    signal: AbortSignal,
  ): Promise<readonly ReconcileResult[]> => {
    const decisions = batch.map((snapshot) => ({ snapshot, decision: decide(snapshot) }));
    const questions = decisions.flatMap(({ snapshot: { claim, podName }, decision }): readonly Question[] =>
      decision.kind === 'askLive' && claim !== undefined ? [{ claim, podName, about: decision.about }] : [],
    );
    const answer = questions.length === 0 ? undefined : await look.ask(owner, questions, signal);
    const tried = await Promise.allSettled(
      decisions.map(({ snapshot, decision }) =>
        decision.kind === 'askLive' && snapshot.claim !== undefined
          ? carryOut(
              owner,
              snapshot,
              decide({ ...snapshot, live: answer?.(snapshot.claim, snapshot.podName) }),
              signal,
            )
          : carryOut(owner, snapshot, decision, signal),
      ),
    );
    const outcomes = tried.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const added = outcomes.flatMap(({ added: snapshot }) => (snapshot === undefined ? [] : [snapshot]));
    // Also when another write failed: its trying again must not leave this undone.
    const taken = added.length === 0 ? [] : await lookBack(owner, added, signal);
    const failed = tried.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      throw failed.reason;
    }
    return [...outcomes.map(({ result }) => result), ...taken];
  };

  return {
    workload: async (owner, signal) => {
      const pending = view
        .claimsOf(owner.workload)
        .map((claim) => view.snapshot(owner, claim))
        .filter((snapshot) => {
          const decision = decide(snapshot);
          return (
            decision.kind !== 'none' ||
            (snapshot.claim !== undefined && notices.hasNews(snapshot.claim, decision))
          );
        });
      const results: ReconcileResult[] = [];
      for (let start = 0; start < pending.length; start += batchSize) {
        results.push(...(await settle(owner, pending.slice(start, start + batchSize), signal)));
      }
      return worst(results);
    },
    leftover: async (claim, signal) => {
      let livePod: Leftover['livePod'];
      for (;;) {
        const decision = decideLeftover({ claim, livePod });
        switch (decision.kind) {
          case 'askLive':
            livePod = await look.controllingPod(claim, signal);
            break;
          case 'setOwners':
            return resultOf(await setOwners(decision, signal));
          case 'unmark':
            return resultOf(await mark(decision, signal));
          case 'none':
            return done;
        }
      }
    },
  };
}

interface Outcome {
  readonly result: ReconcileResult;
  /** With the claim as the write left it. */
  readonly added?: Snapshot;
}

function resultOf(written: Written): ReconcileResult {
  return written.kind === 'conflict' ? { kind: 'lookAgain', reason: written.reason } : done;
}

/** The result that brings the key back soonest. */
function worst(results: readonly ReconcileResult[]): ReconcileResult {
  const again = results.find(({ kind }) => kind === 'lookAgain');
  const delays = results.flatMap((result) => (result.kind === 'requeueAfter' ? [result.delay] : []));
  return again ?? (delays.length === 0 ? done : { kind: 'requeueAfter', delay: Math.min(...delays) });
}

function refOf({ metadata: { namespace, name } }: PersistentVolumeClaim): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}
