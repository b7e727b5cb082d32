import type { OwnerReference } from '@holdfast/core';
import type { Decision } from './decision.ts';
import { holdOn, isHold } from './hold.ts';
import { isOfKind } from './references.ts';
import { removal } from './removal.ts';
import { isActive, type Situation } from './situation.ts';
import { isTied } from './tie.ts';

/**
 * Returns the reference that the table wants; undefined if none.
 *
 * Every pod is created with a claim, and those claims are the ones that the policy means (KEP-1847). A claim
 * of a condemned ordinal whose pod nobody saw might be an earlier workload's, or be there for later: it keeps
 * a reference to the workload, but never gets one.
 */
function wantedOwner(situation: Situation): OwnerReference | undefined {
  const { workload, podName, isScaledDown, grace } = situation;
  const flags = { controller: true, blockOwnerDeletion: false };
  const podUid = podUidOf(situation);
  if (isScaledDown && grace === undefined && podUid !== undefined && !isKeptByOthers(situation)) {
    return { apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid, ...flags };
  }
  const { apiVersion, kind, name, uid, whenDeleted } = workload;
  const goesWithWorkload = whenDeleted === 'Delete' && workload.deletionGrace === undefined;
  return goesWithWorkload && isMeant(situation) ? { apiVersion, kind, name, uid, ...flags } : undefined;
}

/**
 * Returns whether the pod is gone and the claim has an owner beside ours. The garbage collector would not
 * delete the claim with the pod, but take the reference to the pod away, as often as it is written.
 */
function isKeptByOthers({ claim, pod, references, ours }: Situation): boolean {
  return (
    pod.kind === 'gone' &&
    references.some((reference) => !ours.includes(reference) && !isHold(claim, reference))
  );
}

/** If another owner keeps the claim of a scaled-down ordinal, its users want to know. */
export function keptByOthers(situation: Situation): Decision | undefined {
  const { isScaledDown, grace } = situation;
  const isKept =
    isScaledDown && grace === undefined && podUidOf(situation) !== undefined && isKeptByOthers(situation);
  return isKept ? { kind: 'none', reason: 'OtherOwners' } : undefined;
}

/**
 * Returns whether the claim is one of those that are deleted with the workload: its ordinal is wanted, or had
 * a pod while this was seen.
 */
export function isMeant(situation: Situation): boolean {
  const { claim, workload, ours } = situation;
  return (
    workload.wanted ||
    podUidOf(situation) !== undefined ||
    isTied(claim, workload) ||
    ours.some(({ uid }) => uid === workload.uid)
  );
}

function podUidOf({ pod }: Situation): string | undefined {
  return pod.kind === 'gone' ? pod.lastUid : pod.ofWorkload ? pod.uid : undefined;
}

/**
 * Removes ours if the table wants none. If the name is shared, nothing replaces it, and this program also
 * removes correct references of its own: the other workload's pods might use the claim by now. A stock
 * controller would only rewrite its own.
 */
export function referenceUnwanted(situation: Situation): Decision | undefined {
  const { claim, ours, workload, shared } = situation;
  const owner = wantedOwner(situation);
  const wrong = ours.filter(
    ({ uid, blockOwnerDeletion }) => uid !== owner?.uid || (shared && blockOwnerDeletion === false),
  );
  if (wrong.length === 0 || (owner !== undefined && !shared)) {
    return undefined;
  }
  if (shared) {
    return removal(claim, wrong, 'SharedName');
  }
  return removal(claim, wrong, workload.wanted && isActive(workload) ? 'OrdinalWanted' : 'PolicyRetains');
}

/** If two workloads share the name, neither policy counts: nothing is added. */
export function nameShared(situation: Situation): Decision | undefined {
  return situation.shared && !hasWantedOwner(situation) ? { kind: 'none', reason: 'SharedName' } : undefined;
}

/**
 * The reference that the table wants replaces ours; what others wrote stays. A reference of others with the
 * owner's UID, but another kind or name, leads the garbage collector to no owner. It is not made the
 * controller, since it would not be known as ours any more.
 */
export function referenceMissing(situation: Situation): Decision | undefined {
  const { claim, references, ours } = situation;
  const owner = wantedOwner(situation);
  if (owner === undefined || hasWantedOwner(situation)) {
    return undefined;
  }
  const others = references.filter((reference) => !ours.includes(reference) && !isHold(claim, reference));
  const plain = others.find(({ uid }) => uid === owner.uid);
  if (plain !== undefined && !(isOfKind(plain, owner) && plain.name === owner.name)) {
    return ours.length > 0 ? removal(claim, ours, 'NoLongerSo') : { kind: 'none', reason: 'OtherOwners' };
  }
  return {
    kind: 'setOwners',
    operation: ours.length === 0 ? 'add' : 'swap',
    claim,
    references:
      plain === undefined
        ? [...others, owner, ...(owner.kind === 'Pod' ? [] : [holdOn(claim)])]
        : others.map((reference) => (reference === plain ? { ...plain, controller: true } : reference)),
    owner,
    reason: owner.kind === 'Pod' ? 'ScaledDown' : 'DeletedWithWorkload',
  };
}

function hasWantedOwner(situation: Situation): boolean {
  const owner = wantedOwner(situation);
  const [first, ...more] = situation.ours;
  return first?.uid === owner?.uid && more.length === 0;
}
