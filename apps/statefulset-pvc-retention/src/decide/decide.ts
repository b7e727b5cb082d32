import { isTerminating } from '@holdfast/core';
import type { Decision, OwnersDecision } from './decision.ts';
import { giveWay } from './give-way.ts';
import { knownLivePod, knownPod } from './known-pod.ts';
import { judge } from './policy.ts';
import { withoutAdding } from './removal.ts';
import { situationOf } from './situation.ts';
import type { Live, Snapshot, WorkloadFacts } from './snapshot.ts';
import { dueOf } from './undo-window.ts';

/**
 * Decides what to do about one claim: what the table in `policy.ts` says, confirmed if it leads to the
 * claim's deletion.
 *
 * An added reference leads to a deletion, so none is added based on the cache alone: the workload and the pod
 * are looked at live, and only what the cache and the API server agree on is done. The same holds for a mark
 * or a tie that depends on the pod of a condemned ordinal. Removing a reference needs no look. A stock
 * controller that also carries out the policies goes first: see `giveWay`.
 */
export function decide(snapshot: Snapshot): Decision {
  const { claim, workload, live } = snapshot;
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'ClaimTerminating' };
  }
  const pod = knownPod(snapshot.pod, snapshot.lastPodUid);
  const byCache = judge(situationOf(claim, workload, pod, snapshot));
  const leave = giveWay(byCache, snapshot);
  if (leave !== undefined) {
    return leave;
  }
  const about = neededLook(byCache, workload);
  if (about === undefined) {
    return byCache;
  }
  if (live === undefined || !answers(live, about)) {
    return { kind: 'askLive', about };
  }
  const byServer =
    live.workload?.uid === workload.uid
      ? judge(
          situationOf(claim, live.workload, knownLivePod(live.pod, pod), {
            ...snapshot,
            shared: snapshot.shared || live.rival === 'there',
          }),
        )
      : undefined;
  if (byServer === undefined || !isSame(byCache, byServer)) {
    return withoutAdding(byCache) ?? { kind: 'lookAgain', reason: 'the workload or the pod is no longer so' };
  }
  if (byServer.kind === 'deleteClaim' && live.rival === 'unseen') {
    return { kind: 'postpone', reason: 'WorkloadUnseen' };
  }
  if (byServer.kind === 'deleteClaim' && live.inUse === true) {
    const due = dueOf({ claim });
    return { kind: 'postpone', reason: 'InUse', overdue: due === undefined ? Infinity : snapshot.now - due };
  }
  return byServer;
}

/**
 * Decides what can be done about a claim whose live look failed: a claim whose ordinal is wanted again loses
 * the reference to its pod, since the pod might end before a look succeeds.
 *
 * @returns undefined if nothing can be done.
 */
export function decideWithoutLook(snapshot: Snapshot): OwnersDecision | undefined {
  const { claim, workload } = snapshot;
  const pod = knownPod(snapshot.pod, snapshot.lastPodUid);
  return claim && withoutAdding(judge(situationOf(claim, workload, pod, snapshot)));
}

type Look = Extract<Decision, { kind: 'askLive' }>['about'];

/** Returns what must confirm a decision; undefined if it can do no harm. */
function neededLook(decision: Decision, workload: WorkloadFacts): Look | undefined {
  if (decision.kind === 'deleteClaim') {
    return 'users';
  }
  if (decision.kind === 'mark' || decision.kind === 'tie') {
    return workload.wanted ? undefined : 'pod';
  }
  if (decision.kind !== 'setOwners' || decision.owner === undefined) {
    return undefined;
  }
  const dependsOnPod =
    decision.owner.kind === 'Pod' || (decision.operation !== 'confirm' && !workload.wanted);
  return dependsOnPod ? 'pod' : 'workload';
}

function answers({ pod, inUse }: Live, about: Look): boolean {
  switch (about) {
    case 'workload':
      return true;
    case 'pod':
      return pod !== 'notAsked';
    case 'users':
      return inUse !== 'notAsked';
  }
}

function isSame(byCache: Decision, byServer: Decision): boolean {
  if (byCache.kind === 'setOwners' && byServer.kind === 'setOwners') {
    return byCache.operation === byServer.operation && byCache.owner?.uid === byServer.owner?.uid;
  }
  return byCache.kind === byServer.kind;
}
