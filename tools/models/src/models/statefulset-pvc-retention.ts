import {
  byUid,
  firstTime,
  lastTime,
  now,
  sinceRest,
  wished,
  type History,
  type Moment,
  type State,
} from '../history.ts';
import type { Model } from '../model.ts';
import {
  annotation,
  isEnding,
  names,
  uidOf,
  undoWindow,
  type PersistentVolumeClaim,
  type StatefulSet,
} from '../objects.ts';
import { usersOf } from './pvc-protection.ts';

/*
 * Claims of a StatefulSet's templates are deleted with the set or on scale-down, as its policy says (KEP-1847); with an
 * undo window, no sooner than it ends.
 *
 * - Must survive: every claim that its user has not deleted, unless a set that it is named after asks for the deletion.
 *   A set asks on scale-down (whenScaled Delete, at moments since the last rest, and the ordinal unwanted at one of
 *   these), or with its deletion (whenDeleted Delete), unless its dependents are orphaned. It asks only for claims that
 *   a pod of its own was there with while that policy was Delete.
 * - Left open: a reference given since the last rest to a set that is orphaned, where the collector's watches were cut
 *   since then: it takes away those that it knows of (the app's README, "What remains when a set is orphaned").
 * - With an undo window a set asks when its window is over since the ordinal was last wanted, or the set last there.
 * - Must come: the reference to the set on claims of wanted ordinals with whenDeleted Delete, and no such reference
 *   with Retain.
 * - Must go: claims of a set that was deleted, or scaled down, when at the last rest all was as the policy wanted it,
 *   and nothing but that happened.
 */
export const statefulSetRetention: Model = {
  app: 'statefulset-pvc-retention',
  lost: ({ history, after, time }) => {
    const { state } = now(history);
    return [...state.claims.values()]
      .filter((claim) => !isEnding(claim))
      .filter((claim) => {
        const next = byUid(after.claims, uidOf(claim));
        return next === undefined || isEnding(next);
      })
      .filter((claim) => !wished(history, (wish) => wish.kind === 'deleteClaim' && wish.uid === uidOf(claim)))
      .filter(() => state.isOpen)
      .filter(
        (claim) =>
          !setsOf(claim, history).some(
            (set) => asksFor(claim, set, history, time) || mightBeUnknownToCollector(claim, set, history),
          ),
      )
      .map(({ metadata }) => `claim ${metadata.name} was deleted, and nothing asked for it`);
  },
  owed: (history) => {
    const { state } = now(history);
    return [...state.claims.values()]
      .filter((claim) => !isEnding(claim))
      .flatMap((claim) => [...referencesOwed(claim, state), ...deletionOwed(claim, history)]);
  },
};

/** Parses the claim's name as sets make it: `data-<set>-<ordinal>`. */
function partsOf({
  metadata,
}: PersistentVolumeClaim): { readonly set: string; readonly ordinal: number } | undefined {
  const parts = /^data-(.+)-(0|[1-9]\d*)$/.exec(metadata.name);
  return parts === null ? undefined : { set: parts[1] ?? '', ordinal: Number(parts[2]) };
}

/** The UIDs of the sets after which it is named and that existed together with it. */
function setsOf(claim: PersistentVolumeClaim, { moments }: History): readonly string[] {
  const parts = partsOf(claim);
  const uids = moments.flatMap(({ state }) => {
    const set = state.sets.get(parts?.set ?? '');
    return set !== undefined && byUid(state.claims, uidOf(claim)) !== undefined ? [uidOf(set)] : [];
  });
  return [...new Set(uids)];
}

function asksFor(claim: PersistentVolumeClaim, uid: string, history: History, time: number): boolean {
  const ordinal = partsOf(claim)?.ordinal ?? -1;
  const end = lastTime(history, ({ sets }) => byUid(sets, uid) !== undefined) ?? -1;
  const isGone = end < history.moments.length - 1;
  const recent = sinceRest(history).flatMap(({ state }) => byUid(state.sets, uid) ?? []);
  /**
   * Whether the claim had a pod while the policy was Delete. Claims that were scaled down under Retain belong
   * to no pod afterwards.
   */
  const wasMeant = (policy: 'whenDeleted' | 'whenScaled'): boolean =>
    history.moments.some(({ state }) => {
      const set = byUid(state.sets, uid);
      return (
        set !== undefined &&
        policyOf(set)[policy] === 'Delete' &&
        byUid(state.claims, uidOf(claim)) !== undefined &&
        hasPod(state, uid, ordinal)
      );
    });
  const isScaledDown =
    wasMeant('whenScaled') &&
    recent.some((set) => policyOf(set).whenScaled === 'Delete') &&
    recent.some((set) => !wants(set, ordinal)) &&
    (!recent.every(hasWindow) || time >= lastWanted(uid, ordinal, history, time) + undoWindow.milliseconds);
  if (isScaledDown) {
    return true;
  }
  const beginning = firstTime(history, ({ sets }) => {
    const set = byUid(sets, uid);
    return set !== undefined && isEnding(set);
  });
  if ((!isGone && beginning === undefined) || isOrphaned(uid, history) || !wasMeant('whenDeleted')) {
    return false;
  }
  // What the policy said since the rest before the set's end, or at its end if that is longer ago.
  const asked = (
    recent.length > 0 ? recent : [byUid((history.moments[end] ?? now(history)).state.sets, uid)]
  ).filter((set) => set !== undefined);
  if (!asked.some((set) => policyOf(set).whenDeleted === 'Delete')) {
    return false;
  }
  if (!asked.every(hasWindow)) {
    return recent.length > 0;
  }
  const endedAt = history.moments[beginning ?? end + 1]?.time ?? time;
  const name = partsOf(claim)?.set ?? '';
  const isMadeAgain = sinceRest(history).every(({ state }) => {
    const set = state.sets.get(name);
    return set !== undefined && uidOf(set) !== uid && wants(set, ordinal);
  });
  return time >= endedAt + undoWindow.milliseconds && !isMadeAgain;
}

function isOrphaned(uid: string, history: History): boolean {
  return wished(
    history,
    (wish) => wish.kind === 'deleteSet' && wish.uid === uid && wish.cascade === 'Orphan',
  );
}

function mightBeUnknownToCollector(claim: PersistentVolumeClaim, uid: string, history: History): boolean {
  const moments = sinceRest(history);
  const atRest = moments[0] === undefined ? undefined : byUid(moments[0].state.claims, uidOf(claim));
  return (
    isOrphaned(uid, history) &&
    atRest?.metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true &&
    moments.some(({ wish }) => wish?.kind === 'disturbance' && wish.ofAll === true)
  );
}

function referencesOwed(claim: PersistentVolumeClaim, state: State): readonly string[] {
  const parts = partsOf(claim);
  const set = state.sets.get(parts?.set ?? '');
  if (set === undefined || isEnding(set) || parts === undefined) {
    return [];
  }
  const owners = claim.metadata.ownerReferences ?? [];
  // A claim of an earlier set or pod of that name is left alone.
  const isStale = owners.some(
    ({ uid }) => byUid(state.pods, uid) === undefined && byUid(state.sets, uid) === undefined,
  );
  if (isStale || !wants(set, parts.ordinal)) {
    return [];
  }
  const wanted = policyOf(set).whenDeleted === 'Delete' && !hasWindow(set);
  const isOwned = owners.some(({ uid, controller }) => uid === uidOf(set) && controller === true);
  const mark = annotation(claim, names.deleteAfter);
  return [
    ...(isOwned === wanted
      ? []
      : [`claim ${claim.metadata.name} is ${wanted ? '' : 'not '}to be owned by its set`]),
    ...(owners.some(({ kind }) => kind === 'Pod')
      ? [`claim ${claim.metadata.name} is wanted, and owned by a pod`]
      : []),
    ...(mark === undefined ? [] : [`claim ${claim.metadata.name} is wanted, and marked for ${mark}`]),
  ];
}

function deletionOwed(claim: PersistentVolumeClaim, history: History): readonly string[] {
  const { state, time } = now(history);
  const { name } = claim.metadata;
  const mark = annotation(claim, names.deleteAfter);
  const parts = partsOf(claim);
  if (mark !== undefined && Date.parse(mark) + slack < time && usersOf(claim, state).length === 0) {
    return [`claim ${name} is past its undo window, and is to go`];
  }
  const moments = sinceRest(history);
  const first = moments[0]?.state;
  const old = first?.sets.get(parts?.set ?? '');
  const before = first === undefined ? undefined : byUid(first.claims, uidOf(claim));
  if (
    first === undefined ||
    old === undefined ||
    isEnding(old) ||
    before === undefined ||
    parts === undefined
  ) {
    return [];
  }
  const uid = uidOf(old);
  const { ordinal } = parts;
  const alive = moments.flatMap(({ state }) => byUid(state.sets, uid) ?? []);
  const isSteady = alive.every(
    (set) =>
      hasWindow(set) === hasWindow(old) && JSON.stringify(policyOf(set)) === JSON.stringify(policyOf(old)),
  );
  if (!isSteady || hasWindow(old) || !wants(old, ordinal) || moments.some(isDisturbance)) {
    return [];
  }
  const isOwnedAlone =
    before.metadata.ownerReferences?.length === 1 && before.metadata.ownerReferences[0]?.uid === uid;
  const isGone = byUid(state.sets, uid) === undefined;
  if (isGone && !isOrphaned(uid, history) && isOwnedAlone && alive.every((set) => wants(set, ordinal))) {
    return [`claim ${name} is to go with its set`];
  }
  const turns = alive.filter(
    (set, index) => index > 0 && wants(set, ordinal) !== wants(alive[index - 1] ?? set, ordinal),
  );
  const isScaledDown = !isGone && turns.length === 1 && policyOf(old).whenScaled === 'Delete';
  const wasInPeace = !moments.some(({ wish }) => wish?.kind === 'deletePod' || wish?.kind === 'deleteSet');
  return isScaledDown && wasInPeace && hasPod(first, uid, ordinal)
    ? [`claim ${name} is scaled down, and is to go`]
    : [];
}

const slack = 10_000;

function isDisturbance({ wish }: Moment): boolean {
  return wish?.kind === 'disturbance';
}

function hasPod({ pods, sets }: State, uid: string, ordinal: number): boolean {
  const name = byUid(sets, uid)?.metadata.name ?? '';
  const pod = pods.get(`${name}-${String(ordinal)}`);
  return pod?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/** When the set, while not being deleted, last wanted the ordinal; milliseconds since the epoch. */
function lastWanted(uid: string, ordinal: number, history: History, time: number): number {
  const last = lastTime(history, ({ sets }) => {
    const set = byUid(sets, uid);
    return set !== undefined && !isEnding(set) && wants(set, ordinal);
  });
  return history.moments[(last ?? -1) + 1]?.time ?? time;
}

function wants({ spec }: StatefulSet, ordinal: number): boolean {
  const start = spec?.ordinals?.start ?? 0;
  return ordinal >= start && ordinal < start + (spec?.replicas ?? 1);
}

function policyOf(set: StatefulSet): {
  readonly whenDeleted: 'Delete' | 'Retain';
  readonly whenScaled: 'Delete' | 'Retain';
} {
  const field = set.spec?.persistentVolumeClaimRetentionPolicy;
  const isDelete = (value: string | undefined, annotated: string | undefined): boolean =>
    value === 'Delete' || (hasWindow(set) && annotated === 'Delete');
  return {
    whenDeleted: isDelete(field?.whenDeleted, annotation(set, names.whenDeleted)) ? 'Delete' : 'Retain',
    whenScaled: isDelete(field?.whenScaled, annotation(set, names.whenScaled)) ? 'Delete' : 'Retain',
  };
}

/** The world gives a set both windows or none. */
function hasWindow(set: StatefulSet): boolean {
  return annotation(set, names.scaleDownGrace) !== undefined;
}
