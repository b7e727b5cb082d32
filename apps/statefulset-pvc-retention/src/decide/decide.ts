import { isTerminating, type OwnerReference, type PersistentVolumeClaim } from '@holdfast/core';

export type Retention = 'Retain' | 'Delete';

/** What a workload (a StatefulSet, or a kind like it) says of the claim of one ordinal. */
export interface WorkloadFacts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** `orphaning`: its dependents are to survive it. */
  readonly deletion: 'none' | 'orphaning' | 'underWay';
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
  /** The ordinal is to have a pod; otherwise it is condemned. */
  readonly wanted: boolean;
  /** Undo window, milliseconds; undefined: there is none. */
  readonly grace: number | undefined;
}

/** The pod that has the ordinal's name. */
export interface PodFacts {
  readonly uid: string;
  /** The workload of this snapshot, by UID, controls it. */
  readonly ofWorkload: boolean;
}

/** What the API server itself said, a moment ago. */
export interface Live {
  /** Undefined: there is none of this name. */
  readonly workload: WorkloadFacts | undefined;
  /** `notAsked` unless the decision asked for it. */
  readonly pod: PodFacts | 'gone' | 'notAsked';
  /** Whether any pod names the claim. `notAsked` unless the decision asked for it. */
  readonly inUse: boolean | 'notAsked';
}

/** All that the decision on one claim rests on. */
export interface Snapshot {
  readonly claim: PersistentVolumeClaim | undefined;
  /** Of the ordinal, whether or not there is such a pod. */
  readonly podName: string;
  /** The workload that the claim is named after, as the cache has it. */
  readonly workload: WorkloadFacts;
  /** Another workload makes claims of this very name. */
  readonly shared: boolean;
  /** As the cache has it. */
  readonly pod: PodFacts | undefined;
  /** The ordinal's pod when it was last seen, gone since, while this claim was there and whenScaled was Delete. */
  readonly lastPodUid: string | undefined;
  /** Undefined: nothing was asked yet. */
  readonly live: Live | undefined;
  /** Gate StatefulSetAutoDeletePVC. */
  readonly enabled: boolean;
  /** Gate CollectMissedScaleDown. */
  readonly collectMissed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Writes the claim's owner references, all at once, so that there is never a second controller. */
export interface OwnersDecision {
  readonly kind: 'setOwners';
  readonly operation: 'add' | 'swap' | 'remove';
  readonly claim: PersistentVolumeClaim;
  readonly references: readonly OwnerReference[];
  /** Whose reference is added; undefined: none is. */
  readonly owner: OwnerReference | undefined;
  readonly reason:
    | 'DeletedWithWorkload'
    | 'ScaledDown'
    | 'PolicyRetains'
    | 'OrdinalWanted'
    | 'ForeignController'
    | 'WorkloadOrphans'
    | 'NoLongerSo'
    | 'PodOrphaned';
}

export interface NoneDecision {
  readonly kind: 'none';
  readonly reason:
    | 'ClaimGone'
    | 'ClaimTerminating'
    | 'Settled'
    | 'WorkloadTerminating'
    | 'PodGone'
    | 'InUse'
    | 'NotOurs'
    /** What its users may want to hear of: */
    | 'ForeignController'
    | 'StaleReference'
    | 'SharedName'
    | 'OtherOwners'
    | 'ScaleDownMissed';
}

export interface UnmarkDecision {
  readonly kind: 'unmark';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'NotCondemned';
}

export type Decision =
  | NoneDecision
  /** The cache is behind, or what was seen live contradicts it. */
  | { readonly kind: 'lookAgain'; readonly reason: string }
  /** Nothing is looked at again before then; milliseconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number; readonly reason: 'Grace' | 'InUse' }
  /**
   * It would lead to the claim's deletion: look at the workload, and what else is named, and decide again. The workload is
   * to be looked at last.
   */
  | { readonly kind: 'askLive'; readonly about: 'workload' | 'pod' | 'users' }
  | OwnersDecision
  | {
      readonly kind: 'mark';
      readonly claim: PersistentVolumeClaim;
      /** RFC 3339. */
      readonly deleteAfter: string;
      readonly reason: 'ScaledDown';
    }
  | UnmarkDecision
  | {
      readonly kind: 'deleteClaim';
      readonly claim: PersistentVolumeClaim;
      readonly reason: 'GraceOver' | 'ScaleDownMissed';
    };

/** A pod seen only live may be gone before the cache ever has it, and would then wake nobody. Milliseconds. */
const unseenPodDelay = 5_000;

/** Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod). */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/**
 * | whenScaled | whenDeleted | wanted   | condemned, pod known | condemned, undo window   | condemned, no pod known   |
 * |------------|-------------|----------|----------------------|--------------------------|---------------------------|
 * | Retain     | Retain      | none     | none                 | none                     | none                      |
 * | Retain     | Delete      | workload | workload             | workload                 | workload                  |
 * | Delete     | Retain      | none     | pod                  | none, marked             | none: missed, kept        |
 * | Delete     | Delete      | workload | pod                  | workload, marked         | workload: missed, kept    |
 *
 * Before the table:
 * | claim or workload                                       | answer                                                  |
 * |---------------------------------------------------------|---------------------------------------------------------|
 * | claim terminating                                       | nothing                                                 |
 * | reference by name to another workload or pod (UID)      | nothing: the garbage collector judges it                |
 * | reference to a pod that is gone, whenScaled is Delete   | nothing: the garbage collector is at it                 |
 * | another controller                                      | ours is removed, none is added                          |
 * | workload being orphaned                                 | ours are removed, the pod's too                         |
 * | workload being deleted                                  | none is added; ours that would go against the policy go |
 * | two workloads share the name                            | none is added                                           |
 *
 * "Ours" has `controller: true` and names the workload or the ordinal's pod: a plain reference is a user's (KEP-1847,
 * "Objects Associated with the StatefulSet"), unless it names the owner that the table wants, which then gets the flag.
 *
 * A reference added leads to a deletion, so none is on the cache's word: the workload and the pod are looked at live, and
 * only what the cache and the API server agree on is done. Removing needs no look.
 */
export function decide(snapshot: Snapshot): Decision {
  const { claim, workload, live } = snapshot;
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'ClaimTerminating' };
  }
  const pod = podOf(snapshot.pod, snapshot.lastPodUid);
  const byCache = judge(claim, workload, pod, snapshot);
  const about = neededLook(byCache);
  if (about === undefined) {
    return byCache;
  }
  if (
    live === undefined ||
    (about === 'pod' && live.pod === 'notAsked') ||
    (about === 'users' && live.inUse === 'notAsked')
  ) {
    return { kind: 'askLive', about };
  }
  const byServer =
    live.workload?.uid === workload.uid
      ? judge(claim, live.workload, livePodOf(live.pod, pod), snapshot)
      : undefined;
  if (byServer === undefined || !isSame(byCache, byServer)) {
    return withoutAdding(byCache) ?? { kind: 'lookAgain', reason: 'the workload or the pod is no longer so' };
  }
  return byServer.kind === 'deleteClaim' && live.inUse === true
    ? { kind: 'wait', until: snapshot.now + unseenPodDelay, reason: 'InUse' }
    : byServer;
}

/**
 * Looks back, after a reference was added: had the workload changed between the look and the write, what was added is taken
 * back at once. A workload that has vanished meanwhile may have been orphaned, so its claims survive.
 *
 * @param snapshot with the claim as the write left it
 * @param workload as the API server has it after the write
 */
export function decideAgain(
  snapshot: Snapshot,
  workload: WorkloadFacts | undefined,
): OwnersDecision | undefined {
  const { claim } = snapshot;
  if (claim === undefined || isTerminating(claim)) {
    return undefined;
  }
  const ours = ownReferences(claim, snapshot.workload, snapshot);
  if (workload?.uid !== snapshot.workload.uid) {
    return ours.length === 0 ? undefined : removal(claim, ours, 'NoLongerSo');
  }
  // The pod whose reference was added is the ordinal's, even when it is gone by now.
  const added = ours.find((reference) => namesPod(reference, snapshot.podName));
  const pod = podOf(added && { uid: added.uid, ofWorkload: true }, undefined);
  const decision = judge(claim, workload, pod, snapshot);
  return withoutAdding(decision) ?? (isRemoval(decision) ? decision : undefined);
}

/** A claim that is named after no workload there is. */
export interface Leftover {
  readonly claim: PersistentVolumeClaim | undefined;
  /** The pod that controls it by name and UID, as the API server has it; undefined: not asked; `none`: there is none. */
  readonly livePod: OrphanFacts | 'none' | undefined;
}

export interface OrphanFacts {
  readonly uid: string;
  /** A workload made it, and it has no controller any more. */
  readonly orphaned: boolean;
  /** One of its volumes is this claim, by name and not as a generic ephemeral volume. */
  readonly namesClaim: boolean;
}

/**
 * What an orphaned workload leaves in the middle of a scale-down: the claim is its pod's, and would go with it although
 * the workload's dependents were to survive. And a mark outlives its workload, to be found by the next one of the name.
 */
export function decideLeftover({
  claim,
  livePod,
}: Leftover): NoneDecision | OwnersDecision | UnmarkDecision | { readonly kind: 'askLive' } {
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'ClaimTerminating' };
  }
  if (markOf(claim) !== undefined) {
    return { kind: 'unmark', claim, reason: 'NotCondemned' };
  }
  const owner = controllingPod(claim);
  if (owner === undefined) {
    return { kind: 'none', reason: 'NotOurs' };
  }
  if (livePod === undefined) {
    return { kind: 'askLive' };
  }
  return livePod !== 'none' && livePod.uid === owner.uid && livePod.orphaned && livePod.namesClaim
    ? removal(claim, [owner], 'PodOrphaned')
    : { kind: 'none', reason: 'NotOurs' };
}

/** The pod whose own the claim is, when it is named after it as a template's claim is. */
export function controllingPod({ metadata }: PersistentVolumeClaim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, name, controller }) =>
      apiVersion === 'v1' && kind === 'Pod' && controller === true && metadata.name.endsWith(`-${name}`),
  );
}

/** What is known of the ordinal's pod. */
type KnownPod =
  | { readonly kind: 'present'; readonly uid: string; readonly ofWorkload: boolean }
  | { readonly kind: 'gone'; readonly lastUid: string | undefined };

function podOf(pod: PodFacts | undefined, lastUid: string | undefined): KnownPod {
  return pod === undefined ? { kind: 'gone', lastUid } : { kind: 'present', ...pod };
}

/** A pod that went between the cache's state and now is the last known one. */
function livePodOf(live: Live['pod'], known: KnownPod): KnownPod {
  switch (live) {
    case 'notAsked':
      return known;
    case 'gone': {
      const seen = known.kind === 'present' && known.ofWorkload ? known.uid : undefined;
      return { kind: 'gone', lastUid: known.kind === 'gone' ? known.lastUid : seen };
    }
    default:
      return podOf(live, undefined);
  }
}

type Gates = Pick<Snapshot, 'podName' | 'shared' | 'enabled' | 'collectMissed' | 'now'>;

function judge(claim: PersistentVolumeClaim, workload: WorkloadFacts, pod: KnownPod, gates: Gates): Decision {
  const present = claim.metadata.ownerReferences ?? [];
  const isScaledDown = !workload.wanted && workload.whenScaled === 'Delete';
  const grace = isScaledDown && workload.deletion === 'none' ? workload.grace : undefined;
  if (markOf(claim) !== undefined && grace === undefined) {
    return { kind: 'unmark', claim, reason: 'NotCondemned' };
  }

  const toPod = present.filter((reference) => namesPod(reference, gates.podName));
  const isStale =
    present.some((reference) => namesWorkload(reference, workload) && reference.uid !== workload.uid) ||
    (pod.kind === 'present' && toPod.some(({ uid }) => uid !== pod.uid));
  if (isStale) {
    return { kind: 'none', reason: 'StaleReference' };
  }
  const isDoomed = pod.kind === 'gone' && toPod.length > 0 && workload.whenScaled === 'Delete';
  if (isDoomed && workload.deletion !== 'orphaning') {
    return { kind: 'none', reason: 'PodGone' };
  }

  const ours = ownReferences(claim, workload, gates);
  if (
    present.some((reference) => reference.controller === true && !namesEither(reference, workload, gates))
  ) {
    return ours.length > 0
      ? removal(claim, ours, 'ForeignController')
      : { kind: 'none', reason: isActive(workload) ? 'ForeignController' : 'Settled' };
  }
  switch (workload.deletion) {
    case 'orphaning':
      return ours.length > 0
        ? removal(claim, ours, 'WorkloadOrphans')
        : { kind: 'none', reason: 'WorkloadTerminating' };
    case 'underWay': {
      const unjustified = ours.filter((reference) =>
        namesPod(reference, gates.podName)
          ? !isScaledDown && workload.whenDeleted === 'Retain'
          : workload.whenDeleted === 'Retain',
      );
      return unjustified.length > 0
        ? removal(claim, unjustified, 'PolicyRetains')
        : { kind: 'none', reason: 'WorkloadTerminating' };
    }
    case 'none':
      break;
  }

  const owner = wantedOwner(workload, pod, gates.podName);
  const hasOthers = present.some((reference) => !ours.includes(reference) && reference.uid !== workload.uid);
  const isMissed = isScaledDown && owner?.kind !== 'Pod' && pod.kind === 'gone' && pod.lastUid === undefined;
  if (isMissed && gates.collectMissed && grace === undefined && !gates.shared) {
    // The garbage collector would leave a claim that has another owner; so do we.
    return hasOthers
      ? { kind: 'none', reason: 'OtherOwners' }
      : { kind: 'deleteClaim', claim, reason: 'ScaleDownMissed' };
  }
  const [first] = ours;
  const isRight = owner === undefined ? first === undefined : ours.length === 1 && first?.uid === owner.uid;
  if (!isRight) {
    return mend(claim, ours, owner, workload, gates);
  }
  if (grace !== undefined && !gates.shared) {
    const isForeign = pod.kind === 'present' && !pod.ofWorkload;
    const mayMark = !isForeign && (!isMissed || gates.collectMissed);
    return judgeGrace(claim, grace, { mayMark, hasOthers, isUsed: pod.kind === 'present' }, gates.now);
  }
  return { kind: 'none', reason: isMissed ? 'ScaleDownMissed' : 'Settled' };
}

function wantedOwner(workload: WorkloadFacts, pod: KnownPod, podName: string): OwnerReference | undefined {
  const { whenDeleted, whenScaled, wanted, grace, apiVersion, kind, name, uid } = workload;
  const podUid = pod.kind === 'gone' ? pod.lastUid : pod.ofWorkload ? pod.uid : undefined;
  const flags = { controller: true, blockOwnerDeletion: false };
  if (whenScaled === 'Delete' && !wanted && grace === undefined && podUid !== undefined) {
    return { apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid, ...flags };
  }
  return whenDeleted === 'Delete' ? { apiVersion, kind, name, uid, ...flags } : undefined;
}

function mend(
  claim: PersistentVolumeClaim,
  ours: readonly OwnerReference[],
  owner: OwnerReference | undefined,
  workload: WorkloadFacts,
  { shared }: Gates,
): Decision {
  if (owner === undefined || shared) {
    const wrong = ours.filter(({ uid }) => uid !== owner?.uid);
    return wrong.length === 0
      ? { kind: 'none', reason: 'SharedName' }
      : removal(claim, wrong, workload.wanted && isActive(workload) ? 'OrdinalWanted' : 'PolicyRetains');
  }
  const others = (claim.metadata.ownerReferences ?? []).filter((reference) => !ours.includes(reference));
  const plain = others.find(({ uid }) => uid === owner.uid);
  return {
    kind: 'setOwners',
    operation: ours.length === 0 ? 'add' : 'swap',
    claim,
    references:
      plain === undefined
        ? [...others, owner]
        : others.map((reference) => (reference === plain ? { ...plain, controller: true } : reference)),
    owner,
    reason: owner.kind === 'Pod' ? 'ScaledDown' : 'DeletedWithWorkload',
  };
}

interface Condemned {
  /** Its scale-down was seen, or missed ones are collected. */
  readonly mayMark: boolean;
  readonly hasOthers: boolean;
  readonly isUsed: boolean;
}

function judgeGrace(
  claim: PersistentVolumeClaim,
  grace: number,
  { mayMark, hasOthers, isUsed }: Condemned,
  now: number,
): Decision {
  const due = Date.parse(markOf(claim) ?? '');
  if (Number.isNaN(due)) {
    if (mayMark) {
      return { kind: 'mark', claim, deleteAfter: new Date(now + grace).toISOString(), reason: 'ScaledDown' };
    }
    return { kind: 'none', reason: isUsed ? 'InUse' : 'ScaleDownMissed' };
  }
  if (due > now) {
    return { kind: 'wait', until: due, reason: 'Grace' };
  }
  if (hasOthers) {
    return { kind: 'none', reason: 'OtherOwners' };
  }
  return isUsed ? { kind: 'none', reason: 'InUse' } : { kind: 'deleteClaim', claim, reason: 'GraceOver' };
}

/** What a decision has to be confirmed by; undefined: it can do no harm. */
function neededLook(decision: Decision): 'workload' | 'pod' | 'users' | undefined {
  if (decision.kind === 'deleteClaim') {
    return 'users';
  }
  if (decision.kind !== 'setOwners' || decision.owner === undefined) {
    return undefined;
  }
  return decision.owner.kind === 'Pod' ? 'pod' : 'workload';
}

function isSame(byCache: Decision, byServer: Decision): boolean {
  if (byCache.kind === 'setOwners' && byServer.kind === 'setOwners') {
    return byCache.operation === byServer.operation && byCache.owner?.uid === byServer.owner?.uid;
  }
  return byCache.kind === byServer.kind;
}

/** On scaling up again the pod's reference goes, even when the workload's can't be had: the pod may end at any moment. */
function withoutAdding(decision: Decision): OwnersDecision | undefined {
  if (decision.kind !== 'setOwners' || decision.operation !== 'swap' || decision.owner?.kind === 'Pod') {
    return undefined;
  }
  const { claim, references } = decision;
  const wrong = (claim.metadata.ownerReferences ?? []).filter(
    ({ uid }) => !references.some((reference) => reference.uid === uid),
  );
  return removal(claim, wrong, 'NoLongerSo');
}

function isRemoval(decision: Decision): decision is OwnersDecision {
  return decision.kind === 'setOwners' && decision.operation === 'remove';
}

function removal(
  claim: PersistentVolumeClaim,
  wrong: readonly OwnerReference[],
  reason: OwnersDecision['reason'],
): OwnersDecision {
  const references = (claim.metadata.ownerReferences ?? []).filter((reference) => !wrong.includes(reference));
  return { kind: 'setOwners', operation: 'remove', claim, references, owner: undefined, reason };
}

/**
 * The references that are ours to remove. With the gate off only those that this program made: the stock controller, which
 * blocks the owner's deletion, may still carry out what the policy says.
 */
function ownReferences(
  claim: PersistentVolumeClaim,
  workload: WorkloadFacts,
  gates: Pick<Gates, 'podName' | 'enabled'>,
): readonly OwnerReference[] {
  return (claim.metadata.ownerReferences ?? []).filter(
    (reference) =>
      reference.controller === true &&
      namesEither(reference, workload, gates) &&
      (gates.enabled || reference.blockOwnerDeletion !== true),
  );
}

function namesEither(
  reference: OwnerReference,
  workload: WorkloadFacts,
  { podName }: Pick<Gates, 'podName'>,
): boolean {
  return namesWorkload(reference, workload) || namesPod(reference, podName);
}

/** By group, not by version: another version is the same object. */
function namesWorkload({ apiVersion, kind, name }: OwnerReference, workload: WorkloadFacts): boolean {
  return (
    groupOf(apiVersion) === groupOf(workload.apiVersion) && kind === workload.kind && name === workload.name
  );
}

function namesPod({ apiVersion, kind, name }: OwnerReference, podName: string): boolean {
  return apiVersion === 'v1' && kind === 'Pod' && name === podName;
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

function isActive({ whenDeleted, whenScaled }: WorkloadFacts): boolean {
  return whenDeleted === 'Delete' || whenScaled === 'Delete';
}

function markOf({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[deleteAfterAnnotation];
}
