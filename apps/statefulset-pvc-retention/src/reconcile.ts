import { objectKey, type PersistentVolumeClaim } from '@holdfast/core';
import {
  backoffDelay,
  isRefused,
  isUnauthorized,
  openLook,
  resultOfWrite,
  seenOnlyLiveDelay,
  sleep,
  type Clock,
  type Look,
  type ReconcileResult,
  type Written,
} from '@holdfast/runtime';
import type { Annotating } from './annotations.ts';
import type { ClaimWriter } from './claim-writer.ts';
import { createClaimsTogether } from './claims-together.ts';
import { decide, decideWithoutLook } from './decide/decide.ts';
import type { Decision, OwnersDecision, PostponeDecision, WaitDecision } from './decide/decision.ts';
import { decideLeftover, type EndQuestion, type Leftover } from './decide/leftover.ts';
import { decideAgain } from './decide/look-back.ts';
import { wasLeftUndone } from './decide/give-way.ts';
import type { Snapshot } from './decide/snapshot.ts';
import type { FoughtOver, Undoable } from './fought-over.ts';
import type { LiveLook, Question, Seen } from './live-look.ts';
import type { Notices } from './notices.ts';
import type { StockWatch } from './stock-watch.ts';
import type { KindedWorkload, View } from './view.ts';

export interface ReconcileOptions {
  readonly view: View;
  readonly look: LiveLook;
  readonly writer: ClaimWriter;
  readonly notices: Notices;
  /** The clock for the pauses between tries to look back. */
  readonly clock: Clock;
  readonly stock: StockWatch;
  readonly foughtOver: Pick<FoughtOver, 'wait' | 'sent' | 'forget'>;
}

/** Brings the claims of a workload, or a claim without one, to the state that they should have. */
export interface Reconcile {
  workload(owner: KindedWorkload, signal: AbortSignal): Promise<ReconcileResult>;
  leftover(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<ReconcileResult>;
}

/**
 * How many looks back fail in a row before it is given up, and the pauses between them, in milliseconds: some
 * half a minute.
 */
const lookBackTries = 20;
const lookBackPause = { initial: 100, max: 2_000, jitter: 0.5 };
/**
 * In milliseconds. No further look back begins after this time: twenty that hang would make the other claims
 * of the set wait for ten minutes. What is not looked back at stays held, or is judged again with the set.
 */
const lookBackTime = 60_000;

/** Delays of the next look, in milliseconds. */
const unseenDelay = 30_000;
const longestInUseDelay = 60_000;
/**
 * The longest time until a waiting claim is looked at again, in milliseconds. The queue measures it by a
 * monotonic clock, and wall clocks might be set meanwhile.
 */
const longestWait = 3_600_000;

function untilDue({ until }: WaitDecision, now: number): ReconcileResult {
  return { kind: 'requeueAfter', delay: Math.min(until - now, longestWait) };
}

/**
 * Returns the time until the next look, in milliseconds. Each look lists the pods of a namespace, for each
 * claim of a deleted set on its own, so many that are used for hours after their windows must not cost one
 * every few seconds.
 */
function postponement({ reason, overdue = 0 }: PostponeDecision): number {
  return reason === 'WorkloadUnseen'
    ? unseenDelay
    : Math.min(Math.max(seenOnlyLiveDelay, overdue / 10), longestInUseDelay);
}

/**
 * In milliseconds. What failed without being refused, came too late, or had credentials that were not accepted,
 * might succeed at any moment. It is retried within this time, however long the delay of the set has become because
 * of refused claims.
 */
const longestRetry = 30_000;

/** How many claims are written at once after a look has failed. */
const writesWithoutLook = 64;

const done: ReconcileResult = { kind: 'done' };

/** Creates the reconcile: it takes snapshots, has them decided on, and carries out the decisions. */
export function createReconcile(options: ReconcileOptions): Reconcile {
  const { view, look, writer, notices, stock, foughtOver, clock } = options;
  const together = createClaimsTogether();

  /** Returns whether, according to the cache, the API server still has to be asked this. */
  const isStillAsked = (
    { resource, workload }: KindedWorkload,
    claim: PersistentVolumeClaim,
    about: Question['about'],
  ): boolean => {
    const owner = view.workload(resource, objectKey(workload));
    const decision = owner && decide(view.snapshot(owner, claim));
    return decision?.kind === 'askLive' && decision.about === about;
  };

  /** Returns whether, according to the cache, what was added should stay. */
  const isStillConfirmed = ({ resource, workload }: KindedWorkload, added: Snapshot): boolean => {
    const owner = view.workload(resource, objectKey(workload));
    return (
      owner !== undefined &&
      added.claim !== undefined &&
      decideAgain(added, view.snapshot(owner, added.claim).workload)?.operation === 'confirm'
    );
  };

  /**
   * Returns whether, according to the cache, its workload is gone, and the API server still has to be asked
   * this about its end.
   */
  const isStillLeft = (
    claim: PersistentVolumeClaim,
    known: Leftover,
    { about, workload }: EndQuestion,
  ): boolean => {
    if (view.workloadsOf(claim).length > 0 || view.isCached(workload, claim)) {
      return false;
    }
    const decision = decideLeftover({ ...view.leftover(claim), livePod: known.livePod });
    return decision.kind === 'askLive' && decision.about === about;
  };

  /** Returns the result for a write that has to wait, because another client undoes it each time. */
  const pauseOf = (decision: Undoable): ReconcileResult | undefined => {
    // A confirmation is the second half of what it confirms.
    const isConfirming = decision.kind === 'setOwners' && decision.operation === 'confirm';
    const delay = isConfirming ? 0 : foughtOver.wait(decision);
    return delay === 0 ? undefined : { kind: 'requeueAfter', delay };
  };

  const annotate = async (
    decision: Annotating,
    request: WriteRequest,
  ): Promise<Written<PersistentVolumeClaim>> => {
    const written = await writer.annotate(decision, request);
    foughtOver.sent(decision, written);
    return written;
  };

  const setOwners = async (
    decision: OwnersDecision,
    request: WriteRequest,
  ): Promise<Written<PersistentVolumeClaim>> => {
    const written = await writer.setOwners(decision, request);
    if (decision.operation !== 'confirm') {
      foughtOver.sent(decision, written);
    }
    return written;
  };

  /** Carries out a decision, after the API server was asked if necessary. */
  const carryOut = async (
    owner: KindedWorkload,
    snapshot: Snapshot,
    decision: Decision,
    request: WriteRequest,
  ): Promise<Outcome> => {
    const { signal } = request;
    const { claim } = snapshot;
    if (claim === undefined) {
      return { result: done };
    }
    switch (decision.kind) {
      case 'none':
        notices.kept(owner, claim, decision);
        return { result: done };
      case 'leave':
        stock.leave(claim, decision.wanted);
        return { result: { kind: 'requeueAfter', delay: decision.delay } };
      case 'wait':
        return { result: untilDue(decision, snapshot.now) };
      case 'postpone':
        return { result: { kind: 'requeueAfter', delay: postponement(decision) } };
      case 'lookAgain':
        return { result: decision };
      case 'askLive':
        return { result: { kind: 'lookAgain', reason: 'the cache changed during the look' } };
      case 'setOwners': {
        const pause = pauseOf(decision);
        if (pause !== undefined) {
          return { result: pause };
        }
        const written = await setOwners(
          decision,
          decision.operation === 'remove' ? unlimited(request) : request,
        );
        const adds = decision.operation === 'add' || decision.operation === 'swap';
        if (written.kind === 'failed' && adds && !isRefused(written.error)) {
          // It might have been done nevertheless. If it was not, the patch of the look back does not match
          // the claim, and fails.
          const metadata = { ...claim.metadata, ownerReferences: decision.references };
          return {
            result: done,
            added: { ...snapshot, claim: { ...claim, metadata } },
            error: written.error,
          };
        }
        if (written.kind === 'written' && wasLeftUndone(snapshot)) {
          stock.sawItLeaveUndone();
        }
        if (written.kind !== 'written' || !adds) {
          return { result: resultOfWrite(written) };
        }
        if (decision.owner?.kind === 'Pod') {
          notices.willBeDeleted(owner, claim, `with pod ${decision.owner.name}`);
        }
        return { result: done, added: { ...snapshot, claim: written.object } };
      }
      case 'mark': {
        const pause = pauseOf(decision);
        if (pause !== undefined) {
          return { result: pause };
        }
        const written = await annotate(decision, request);
        if (written.kind === 'written') {
          if (wasLeftUndone(snapshot)) {
            stock.sawItLeaveUndone();
          }
          notices.willBeDeleted(owner, claim, `after ${decision.deleteAfter}`);
        }
        return { result: resultOfWrite(written) };
      }
      case 'tie': {
        const pause = pauseOf(decision);
        if (pause !== undefined) {
          return { result: pause };
        }
        const written = await annotate(decision, request);
        if (written.kind === 'written' && wasLeftUndone(snapshot)) {
          stock.sawItLeaveUndone();
        }
        return { result: resultOfWrite(written) };
      }
      case 'unmark':
      case 'untie':
        return { result: pauseOf(decision) ?? resultOfWrite(await annotate(decision, { signal })) };
      case 'deleteClaim': {
        const written = await writer.delete(decision, request);
        if (written.kind === 'written') {
          notices.willBeDeleted(owner, claim, 'now');
        }
        return { result: resultOfWrite(written) };
      }
    }
  };

  /** Returns the result for each claim. Rejects if the workload could not be read. */
  const tryToLookBack = async (
    owner: KindedWorkload,
    added: readonly Snapshot[],
    signal: AbortSignal,
  ): Promise<readonly PromiseSettledResult<ReconcileResult>[]> => {
    const seen = openLook();
    const factsFor = await look.workload(owner, signal, seen);
    return Promise.allSettled(
      added.map(async (snapshot) => {
        const undo = snapshot.claim && decideAgain(snapshot, factsFor(snapshot.claim));
        if (undo === undefined) {
          return done;
        }
        if (undo.operation !== 'confirm') {
          // It is this process that undoes the write.
          foughtOver.forget(undo.claim);
        }
        const request =
          undo.operation === 'confirm'
            ? { signal, look: unlessOvertaken(seen, () => isStillConfirmed(owner, snapshot)) }
            : { signal };
        return resultOfWrite(await writer.setOwners(undo, request));
      }),
    );
  };

  /**
   * Looks back after references were added, and at once removes those that the workload no longer calls for.
   * No later reconcile can make up for it, since a reference to a workload that is gone looks like one whose
   * claim should go with it. So it does not end with the reconcile's signal (a timeout, a lost lease): it
   * only removes what this process has added. After the renew deadline, though, the client refuses its writes
   * as it does all others, and the next leader finds the hold. It is retried while the API server is away, for
   * the claims for which it failed.
   */
  const lookBack = async (
    owner: KindedWorkload,
    added: readonly Snapshot[],
  ): Promise<readonly ReconcileResult[]> => {
    const { signal } = new AbortController();
    const results: ReconcileResult[] = [];
    const began = clock.now();
    let left = added;
    for (let failures = 0; ; failures++) {
      const tried: readonly PromiseSettledResult<ReconcileResult>[] = await tryToLookBack(
        owner,
        left,
        signal,
      ).catch((reason: unknown) => left.map(() => ({ status: 'rejected', reason })));
      results.push(...tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
      left = left.filter((_, index) => tried[index]?.status === 'rejected');
      const failed = tried.find((each) => each.status === 'rejected');
      if (failed === undefined) {
        return results;
      }
      if (failures + 1 >= lookBackTries || clock.now() - began >= lookBackTime) {
        throw failed.reason;
      }
      await sleep(clock, backoffDelay(failures, lookBackPause), signal);
    }
  };

  const ask = async (
    owner: KindedWorkload,
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<Seen> => {
    try {
      return await look.ask(owner, questions, signal);
    } catch (error) {
      if (signal.aborted) {
        together.wasInVain(owner.workload.metadata.uid, questions.length);
      }
      throw error;
    }
  };

  /**
   * Settles a few claims of a workload, with one live look for all of them. Rejects if the workload could not
   * be read.
   */
  const settle = async (
    owner: KindedWorkload,
    batch: readonly Snapshot[],
    signal: AbortSignal,
  ): Promise<Settled> => {
    const decisions = batch.map((snapshot) => ({ snapshot, decision: decide(snapshot) }));
    const questions = decisions.flatMap(({ snapshot: { claim, podName }, decision }): readonly Question[] =>
      decision.kind === 'askLive' && claim !== undefined ? [{ claim, podName, about: decision.about }] : [],
    );
    const seen = questions.length === 0 ? undefined : await ask(owner, questions, signal);
    const tried = await Promise.allSettled(
      decisions.map(({ snapshot, decision }) => {
        const { claim, podName } = snapshot;
        if (decision.kind !== 'askLive' || claim === undefined || seen === undefined) {
          return carryOut(owner, snapshot, decision, { signal });
        }
        const { about } = decision;
        const known = about === 'users' ? { ...snapshot, noneOverBefore: seen.noneOverBefore } : snapshot;
        return carryOut(owner, snapshot, decide({ ...known, live: seen.of(claim, podName) }), {
          signal,
          look: unlessOvertaken(seen.look, () => isStillAsked(owner, claim, about)),
        });
      }),
    );
    if (seen !== undefined) {
      const looked = tried.filter((_, index) => decisions[index]?.decision.kind === 'askLive');
      if (looked.every(isLookedAtAgain)) {
        together.wasInVain(owner.workload.metadata.uid, questions.length);
      } else {
        together.wasInTime(owner.workload.metadata.uid);
      }
    }
    const outcomes = tried.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const added = outcomes.flatMap(({ added: snapshot }) => (snapshot === undefined ? [] : [snapshot]));
    // This happens even if another write failed, because the next try does not know what this one added.
    const taken = added.length === 0 ? [] : await lookBack(owner, added);
    return {
      results: [...outcomes.map(({ result }) => result), ...taken],
      failures: [
        ...tried.flatMap((outcome): readonly unknown[] =>
          outcome.status === 'rejected' ? [outcome.reason] : [],
        ),
        ...outcomes.flatMap(({ error }) => (error === undefined ? [] : [error])),
      ],
    };
  };

  /**
   * Does what can be done about claims whose live look failed, and returns the results. What fails here is tried with
   * the next look. A set can have tens of thousands of claims: the requests for all of them at once would keep the
   * process busy for longer than its lease lasts.
   */
  const settleWithoutLook = async (
    owner: KindedWorkload,
    some: readonly Snapshot[],
    signal: AbortSignal,
  ): Promise<readonly ReconcileResult[]> => {
    const results: ReconcileResult[] = [];
    // All share it, so a write that hangs holds up no claim but its own.
    const left = some.values();
    const work = async (): Promise<void> => {
      for (const snapshot of left) {
        const decision = decideWithoutLook(snapshot);
        if (decision !== undefined && !signal.aborted) {
          const outcome = await carryOut(owner, snapshot, decision, { signal }).catch(() => undefined);
          if (outcome !== undefined) {
            results.push(outcome.result);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: writesWithoutLook }, work));
    return results;
  };

  return {
    workload: async (owner, signal) => {
      const free: Snapshot[] = [];
      const asking: Snapshot[] = [];
      for (const claim of view.claimsOf(owner.workload)) {
        const snapshot = view.snapshot(owner, claim);
        const decision = decide(snapshot);
        if (decision.kind === 'none') {
          stock.forget(claim);
        }
        if (decision.kind === 'askLive') {
          asking.push(snapshot);
        } else if (decision.kind !== 'none' || notices.hasNews(claim, decision)) {
          free.push(snapshot);
        }
      }
      const results: ReconcileResult[] = [];
      const failures: unknown[] = [];
      // A look can fail or take long. What keeps data needs none, and must not wait for it.
      for (let left of [free, asking]) {
        while (left.length > 0) {
          const batch = left.slice(0, together.most(owner.workload.metadata.uid));
          const rest = left.slice(batch.length);
          try {
            const settled = await settle(owner, batch, signal);
            results.push(...settled.results);
            // The others are settled nevertheless, since claims that are refused for good come before them in
            // each further try.
            failures.push(...settled.failures);
            left = rest;
          } catch (error) {
            failures.push(error);
            results.push(...(await settleWithoutLook(owner, left, signal)));
            left = [];
          }
          signal.throwIfAborted();
        }
      }
      return overall(results, failures);
    },
    leftover: async (claim, signal) => {
      let leftover = view.leftover(claim);
      let request: WriteRequest = { signal };
      for (;;) {
        const decision = decideLeftover(leftover);
        switch (decision.kind) {
          case 'askLive':
            if (decision.about === 'pod') {
              leftover = { ...leftover, livePod: await look.controllingPod(claim, signal) };
            } else {
              const asked = await look.endOf(claim, decision.workload, decision.about, signal);
              const known = leftover;
              leftover = {
                ...known,
                live: asked.seen,
                ...(decision.about === 'users' ? { noneOverBefore: asked.noneOverBefore } : {}),
              };
              request = {
                signal,
                look: unlessOvertaken(asked.look, () => isStillLeft(claim, known, decision)),
              };
            }
            break;
          case 'setOwners':
            return pauseOf(decision) ?? resultOfWrite(await setOwners(decision, { signal }));
          case 'unmark':
          case 'untie':
            return pauseOf(decision) ?? resultOfWrite(await annotate(decision, { signal }));
          case 'mark': {
            const pause = pauseOf(decision);
            if (pause !== undefined) {
              return pause;
            }
            const written = await annotate(decision, request);
            if (written.kind === 'written') {
              notices.willGoWithWorkload(claim, decision.deleteAfter);
            }
            return resultOfWrite(written);
          }
          case 'deleteClaim':
            return resultOfWrite(await writer.delete(decision, request));
          case 'wait':
            return untilDue(decision, leftover.now);
          case 'postpone':
            return { kind: 'requeueAfter', delay: postponement(decision) };
          case 'none':
            notices.left(claim, decision);
            return done;
        }
      }
    },
  };
}

/** What a write is sent with. */
interface WriteRequest {
  readonly signal: AbortSignal;
  /** The look that it is based on. */
  readonly look?: Look;
}

/** The results for some claims. */
interface Settled {
  readonly results: readonly ReconcileResult[];
  /** Why some failed. */
  readonly failures: readonly unknown[];
}

interface Outcome {
  readonly result: ReconcileResult;
  /** With the claim as the write left it. */
  readonly added?: Snapshot;
  /** Why it is unknown whether the reference was added. */
  readonly error?: unknown;
}

function isLookedAtAgain(tried: PromiseSettledResult<Outcome>): boolean {
  return tried.status === 'fulfilled' && tried.value.result.kind === 'lookAgain';
}

/**
 * Lets a write pass however old its look is, because a removal cannot lose data. It still goes ahead of
 * requests without a look, since a pod might end at any moment.
 */
function unlimited({ signal, look }: WriteRequest): WriteRequest {
  return look === undefined ? { signal } : { signal, look: { lookedAt: look.lookedAt, maxAge: Infinity } };
}

/**
 * While a write waits to be sent, even briefly compared with a look's age, the watch might show that it is no
 * longer needed.
 */
function unlessOvertaken(look: Look, stillHolds: () => boolean): Look {
  return { ...look, stillHolds };
}

/**
 * Returns the result that brings the key back soonest. The window of one claim ends at its time, however
 * often the writes to another one have failed.
 *
 * @throws the first failure, if only what was refused has to be looked at.
 */
function overall(results: readonly ReconcileResult[], failures: readonly unknown[]): ReconcileResult {
  const again = results.find(({ kind }) => kind === 'lookAgain');
  const delays = results.flatMap((result) => (result.kind === 'requeueAfter' ? [result.delay] : []));
  if (failures.length === 0) {
    return again ?? (delays.length === 0 ? done : { kind: 'requeueAfter', delay: Math.min(...delays) });
  }
  const [error] = failures;
  if (again !== undefined || !failures.every((each) => isRefused(each) && !isUnauthorized(each))) {
    delays.push(longestRetry);
  }
  if (delays.length === 0) {
    throw error;
  }
  return { kind: 'failed', error, delay: Math.min(...delays) };
}
