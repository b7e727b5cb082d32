import {
  apiVersionOf,
  isTerminating,
  parseFeatureGates,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  deletionOf,
  factsOf,
  gates,
  isHold,
  isWanted,
  markOf,
  namesWorkload,
  policyOf,
} from '@holdfast/statefulset-pvc-retention/decide';
import { play, type Assumptions, type Rest } from './course.ts';
import { ordinalOf } from './ordinals.ts';
import type { Half, Reason } from './reason.ts';
import { timeOf, type WindowKeepers } from './vacancy-wait.ts';
import { dataOf, type Classes, type NamedVolume, type VolumeFate } from './volume-fate.ts';
import type { Action, HoldfastGates, Retainers, World } from './world.ts';

/** What happens to a claim, and why. */
export interface Outcome {
  readonly fate: 'stays' | 'goes' | 'goesLater';
  /** When a claim that goes later is deleted, in RFC 3339; until then the claim can be kept. */
  readonly until?: string;
  readonly reason: Reason;
}

/** One of several possible outcomes. */
export interface PossibleOutcome extends Outcome {
  /** The assumptions under which this is the outcome. */
  readonly assuming: Assumptions;
}

export interface ClaimPlan {
  readonly claim: string;
  readonly ordinal: number;
  /** One outcome, unless the real one cannot be known; the first is the most likely. */
  readonly outcomes: readonly [PossibleOutcome, ...PossibleOutcome[]];
  /** What happens to the data if the claim goes. */
  readonly volume: VolumeFate;
}

/**
 * Returns what happens to each claim of a set after an action, ordered by ordinal. A set that is being
 * deleted is deleted to the end, whatever else is done.
 *
 * @param keepers default: those who end undo windows are at work, or that is not known.
 */
export function plan(
  world: World,
  asked: Action,
  retainers: Retainers,
  volumes: ReadonlyMap<string, NamedVolume>,
  classes: Classes,
  keepers?: WindowKeepers,
): readonly ClaimPlan[] {
  const action = actionOn(world, asked);
  const played = assumptionsOf(world, action, retainers).map((assuming) => ({
    assuming,
    rest: play(world, action, assuming),
  }));
  return [...world.claims.values()]
    .map((claim): ClaimPlan => {
      const outcomes: PossibleOutcome[] = [];
      for (const { assuming, rest } of played) {
        const outcome = outcomeOf(claim, rest, { world, action, assuming });
        if (!outcomes.some(({ fate }) => fate === outcome.fate)) {
          outcomes.push({ ...outcome, assuming });
        }
      }
      const [first, ...more] = outcomes;
      if (first === undefined) {
        throw new Error('nothing was played');
      }
      const { volumeName } = claim.spec ?? {};
      return {
        claim: claim.metadata.name,
        ordinal: ordinalOf(claim),
        outcomes: [first, ...more],
        volume: dataOf(claim, volumes.get(volumeName ?? ''), classes, keepers),
      };
    })
    .toSorted((a, b) => a.ordinal - b.ordinal || (a.claim < b.claim ? -1 : 1));
}

function actionOn({ set }: World, asked: Action): Action {
  switch (deletionOf(set)) {
    case 'none':
      return asked;
    case 'orphaning':
      return { kind: 'delete', cascade: 'orphan' };
    case 'underWay':
      return { kind: 'delete', cascade: 'background' };
  }
}

/** What cannot be known is played in every possible way. */
function assumptionsOf(world: World, action: Action, retainers: Retainers): readonly Assumptions[] {
  const isAnyUnknown =
    [...world.owners.values()].some((state) => state === 'unknown' || state === 'leaving') ||
    isOwnedByLeaving(world);
  const stocks = retainers.stock === 'unknown' ? [true, false] : [retainers.stock === 'atWork'];
  return stocks.flatMap((stockAtWork) =>
    holdfastsOf(retainers).flatMap((holdfast) =>
      (action.kind === 'delete' ? [true, false] : [true]).flatMap((settledBefore) =>
        (isAnyUnknown ? (['lives', 'gone'] as const) : (['lives'] as const)).map((unknownOwners) => ({
          stockAtWork,
          holdfast,
          noneOverBefore: certainWait(retainers),
          settledBefore,
          unknownOwners,
        })),
      ),
    ),
  );
}

/** A process that is not seen might need no lease, and does not wait for an hour after it has none. */
function certainWait({ holdfast, wait = { kind: 'none' } }: Retainers): number | undefined {
  return holdfast === 'unknown' && wait.kind === 'onceLed' ? undefined : timeOf(wait);
}

/** Whether a claim that is being deleted owns another one. */
function isOwnedByLeaving({ claims }: World): boolean {
  const leaving = new Set([...claims.values()].filter(isTerminating).map(({ metadata }) => metadata.uid));
  return [...claims.values()].some((claim) =>
    claim.metadata.ownerReferences?.some(({ uid }) => uid !== claim.metadata.uid && leaving.has(uid)),
  );
}

function holdfastsOf({ holdfast }: Retainers): readonly Assumptions['holdfast'][] {
  switch (holdfast) {
    case 'absent':
      return [undefined];
    case 'unknown':
      return [undefined, ...anyGates()];
    case 'gatesUnknown':
      return anyGates();
    default:
      return [holdfast];
  }
}

/** The gates as they are by default, with everything turned on that can be, and with retention turned off. */
function anyGates(): readonly HoldfastGates[] {
  return ['', 'AllAlpha=true,AllBeta=true', 'StatefulSetAutoDeletePVC=false'].map((text) =>
    parseFeatureGates(gates, text),
  );
}

interface Question {
  readonly world: World;
  readonly action: Action;
  readonly assuming: Assumptions;
}

function outcomeOf(before: PersistentVolumeClaim, rest: Rest, question: Question): Outcome {
  const { name, deletionTimestamp } = before.metadata;
  if (deletionTimestamp !== undefined) {
    return { fate: 'goes', reason: { code: 'DeletedAlready' } };
  }
  const ended = rest.ended.get(name);
  if (ended !== undefined) {
    return { fate: 'goes', reason: reasonOfEnd(ended) };
  }
  const claim = rest.claims.get(name) ?? before;
  const mark = markOf(claim);
  const { holdfast, noneOverBefore } = question.assuming;
  if (mark?.kind === 'valid' && holdfast !== undefined) {
    return {
      fate: 'goesLater',
      until: new Date(Math.max(mark.due, noneOverBefore ?? mark.due)).toISOString(),
      reason: { code: mark.cause === 'ScaledDown' ? 'MarkedScaledDown' : 'MarkedWithSet' },
    };
  }
  // Only a missed scale-down waits without a mark.
  if (rest.reasons.get(name) === 'Grace' && holdfast !== undefined && noneOverBefore !== undefined) {
    const until = new Date(noneOverBefore).toISOString();
    return { fate: 'goesLater', until, reason: { code: 'ScaleDownCollected' } };
  }
  return { fate: 'stays', reason: whyItStays(claim, rest, question) };
}

function reasonOfEnd(ended: NonNullable<ReturnType<Rest['ended']['get']>>): Reason {
  if (ended.by === 'garbageCollector') {
    return { code: 'OwnersGone', owners: ended.owners.map(nameOf) };
  }
  return { code: ended.reason === 'GraceOver' ? 'GraceOver' : 'ScaleDownCollected' };
}

/**
 * Why a claim stays; the first matching row decides:
 *
 * | action and claim                                             | reason                                      |
 * |--------------------------------------------------------------|---------------------------------------------|
 * | orphaned, a pod that is left owns it                         | GoesWithPod                                 |
 * | orphaned                                                     | Orphaned                                    |
 * | scaled, its ordinal is wanted                                | OrdinalWanted                               |
 * | Holdfast is at work, and has a reason of its own             | that                                        |
 * | the policy that is carried out says Retain, and so do all    | Retained                                    |
 * | the field says Delete, and nobody carries it out             | NobodyCarriesOut                            |
 * | an annotation says Delete, and nobody carries it out         | AnnotationIgnored                           |
 * | another controller                                           | ForeignController                           |
 * | another owner                                                | OtherOwners, or StaleReference by its name  |
 * | deleted, carried out by Holdfast alone, window not possible  | WindowUnusable                              |
 * | deleted as it is, although its ordinal has a pod             | NotOwnedYet                                 |
 * | else                                                         | NoPod                                       |
 */
function whyItStays(claim: PersistentVolumeClaim, rest: Rest, question: Question): Reason {
  const { world, action, assuming } = question;
  const { set } = world;
  const owners = othersOf(claim, question);
  if (action.kind === 'delete' && action.cascade === 'orphan') {
    const pods = owners.filter(({ uid }) => rest.pods.some(({ metadata }) => metadata.uid === uid));
    return pods.length > 0 ? { code: 'GoesWithPod', owners: pods.map(nameOf) } : { code: 'Orphaned' };
  }
  if (action.kind === 'scale' && rest.set !== undefined && isWanted(rest.set, ordinalOf(claim))) {
    return { code: 'OrdinalWanted' };
  }
  const own = assuming.holdfast && ownReason(rest.reasons.get(claim.metadata.name), owners.map(nameOf));
  if (own !== undefined) {
    return own;
  }
  const half: Half = action.kind === 'scale' ? 'whenScaled' : 'whenDeleted';
  const field = set.spec?.persistentVolumeClaimRetentionPolicy?.[half];
  if (policyOf(set)[half] !== 'Delete') {
    return { code: 'Retained', half };
  }
  const isOfStock = field === 'Delete' && assuming.stockAtWork;
  const isOfHoldfast = assuming.holdfast?.enabled('StatefulSetAutoDeletePVC') === true;
  if (!isOfHoldfast && !isOfStock) {
    return { code: field === 'Delete' ? 'NobodyCarriesOut' : 'AnnotationIgnored', half };
  }
  if (owners.some(({ controller }) => controller === true)) {
    return { code: 'ForeignController', owners: owners.map(nameOf) };
  }
  if (owners.length > 0) {
    return { code: 'OtherOwners', owners: owners.map(nameOf) };
  }
  if (action.kind === 'delete' && !isOfStock && isWindowUnusable(claim, question)) {
    return { code: 'WindowUnusable' };
  }
  const podName = `${set.metadata.name}-${String(ordinalOf(claim))}`;
  const hasPod = world.pods.some(({ metadata }) => metadata.name === podName);
  return hasPod && (!assuming.settledBefore || isTerminating(set))
    ? { code: 'NotOwnedYet', half }
    : { code: 'NoPod' };
}

/**
 * Whether the set asks for an undo window for its deletion that is not possible. Nothing remembers that once
 * the set is gone, so the reasons at rest do not have it.
 */
function isWindowUnusable(
  claim: PersistentVolumeClaim,
  { world: { set, resource }, assuming: { holdfast } }: Question,
): boolean {
  return (
    holdfast !== undefined && factsOf(set, resource, ordinalOf(claim), holdfast).deletionGrace === 'unusable'
  );
}

/** The owners of a claim other than its set and itself. */
function othersOf(
  claim: PersistentVolumeClaim,
  { world: { set, resource } }: Pick<Question, 'world'>,
): readonly OwnerReference[] {
  const workload = { apiVersion: apiVersionOf(resource), kind: resource.kind, name: set.metadata.name };
  const isTo = (owner: OwnerReference): boolean =>
    owner.uid === set.metadata.uid && namesWorkload(owner, workload);
  return (claim.metadata.ownerReferences ?? []).filter((owner) => !isTo(owner) && !isHold(claim, owner));
}

/**
 * The reason that statefulset-pvc-retention gave for leaving a claim, if it says more than the policy does.
 */
function ownReason(
  reason: Rest['reasons'] extends ReadonlyMap<string, infer T> ? T | undefined : never,
  owners: readonly string[],
): Reason | undefined {
  switch (reason) {
    case 'ForeignController':
    case 'StaleReference':
    case 'OtherOwners':
      return { code: reason, owners };
    case 'SharedName':
    case 'WindowUnusable':
    case 'WindowNotHeld':
    case 'MarkWithdrawn':
    case 'EndUnseen':
    case 'InUse':
      return { code: reason };
    case 'ScaleDownMissed':
      return { code: 'NoPod' };
    default:
      return undefined;
  }
}

function nameOf({ kind, name }: OwnerReference): string {
  return `${kind} ${name}`;
}
