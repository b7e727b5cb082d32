import type { Deployment, ReplicaSet } from '@holdfast/core';
import { annotations, numberIn } from './annotations.ts';

/** The number of replicas that a ReplicaSet should have. */
export interface Size {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type === 'RollingUpdate';
}

/** How many pods may exist beyond the wanted number; 0 for Recreate. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many of the wanted pods may be missing; 0 for Recreate. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return isRolling(deployment) && replicas > 0 ? Math.min(fenceposts(deployment).unavailable, replicas) : 0;
}

/**
 * A percentage is rounded up for the surge and down for what may be unavailable. If both came to 0, the
 * rollout could not move.
 */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const rolling = deployment.spec?.strategy?.rollingUpdate;
  const share = (value: number | string | undefined, round: (number: number) => number): number =>
    typeof value === 'string'
      ? round((Number.parseInt(value, 10) * replicasOf(deployment)) / 100)
      : (value ?? 0);
  const surge = share(rolling?.maxSurge, Math.ceil);
  const unavailable = share(rolling?.maxUnavailable, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * The size of the new set during a rollout: all replicas at once for Recreate, otherwise as many as
 * `replicas` and the surge leave room for.
 */
export function newSetSize(deployment: Deployment, present: number, all: readonly ReplicaSet[]): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment) || present > wanted) {
    return wanted;
  }
  const free = wanted + maxSurge(deployment) - totalOf(all);
  return present + Math.max(0, Math.min(free, wanted - present));
}

/**
 * The sizes to which a rolling update scales old sets down, oldest set first. Unavailable pods go first, as
 * long as enough pods are available; then available ones go, as many as the new set has replaced.
 */
export function oldSetSizes(
  deployment: Deployment,
  newSet: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly Size[] {
  const active = old.filter((set) => replicasOf(set) > 0).toSorted(byAge);
  const fewest = replicasOf(deployment) - maxUnavailable(deployment);
  const unavailableNew = replicasOf(newSet) - availableOf(newSet);
  const mayGo = totalOf(active) + replicasOf(newSet) - fewest - unavailableNew;
  if (active.length === 0 || mayGo <= 0) {
    return [];
  }
  let sick = mayGo;
  const cleaned = active.map((set) => {
    const down = Math.max(0, Math.min(sick, replicasOf(set) - availableOf(set)));
    sick -= down;
    return { set, replicas: replicasOf(set) - down };
  });
  let well = [...active, newSet].reduce((sum, set) => sum + availableOf(set), 0) - fewest;
  return cleaned
    .map(({ set, replicas }) => {
      const down = Math.max(0, Math.min(well, replicas));
      well -= down;
      return { set, replicas: replicas - down };
    })
    .filter(({ set, replicas }) => replicas !== replicasOf(set));
}

/**
 * The sizes after the Deployment's `replicas` has changed, or while the Deployment is paused. The first
 * matching line decides:
 *
 *     sets with replicas                       sizes
 *     none                                     the new set, or else the youngest, gets all
 *     one                                      it gets all
 *     several, the new one has all, available  the old ones get 0
 *     several, RollingUpdate                   what comes or goes is shared out by size, the largest first; what rounding leaves is the largest's
 *     several, Recreate                        as they are
 */
export function scaledSizes(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly Size[] {
  const wanted = replicasOf(deployment);
  const all = [...old, ...(newSet === undefined ? [] : [newSet])];
  const active = all.filter((set) => replicasOf(set) > 0);
  if (active.length <= 1) {
    const set = active[0] ?? newSet ?? old.toSorted(byAge).at(-1);
    return set === undefined || replicasOf(set) === wanted ? [] : [{ set, replicas: wanted }];
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return active.filter((set) => set !== newSet).map((set) => ({ set, replicas: 0 }));
  }
  return isRolling(deployment) ? sharedOut(deployment, active) : [];
}

function sharedOut(deployment: Deployment, active: readonly ReplicaSet[]): readonly Size[] {
  const wanted = replicasOf(deployment);
  const toAdd = (wanted === 0 ? 0 : wanted + maxSurge(deployment)) - totalOf(active);
  const bySize = active.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)),
  );
  let added = 0;
  const sizes = bySize.map((set) => {
    const allowed = toAdd - added;
    const share = shareOf(deployment, set);
    const part = toAdd > 0 ? Math.min(share, allowed) : toAdd < 0 ? Math.max(share, allowed) : 0;
    added += part;
    return { set, replicas: replicasOf(set) + part };
  });
  const [largest, ...others] = sizes;
  return largest === undefined
    ? []
    : [{ set: largest.set, replicas: Math.max(0, largest.replicas + toAdd - added) }, ...others];
}

/** How much a set would grow if it grew in proportion to the Deployment since it was sized. */
function shareOf(deployment: Deployment, set: ReplicaSet): number {
  const size = replicasOf(set);
  const wanted = replicasOf(deployment);
  if (wanted === 0) {
    return -size;
  }
  const before = numberIn(set, annotations.maxReplicas) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}

/** Whether the set has all replicas that the Deployment wants, its status says so, and all are available. */
function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(set) === wanted &&
    numberIn(set, annotations.desiredReplicas) === wanted &&
    availableOf(set) === wanted
  );
}

/** The total number of replicas that the sets want. */
export function totalOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

/** Sorts the oldest first; sets created within the same second are sorted by name. */
export function byAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const [made = '', other = ''] = [a.creationTimestamp, b.creationTimestamp];
  return Date.parse(made) - Date.parse(other) || (a.name < b.name ? -1 : 1);
}
