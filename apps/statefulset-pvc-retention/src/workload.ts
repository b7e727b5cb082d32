import {
  apiVersionOf,
  isTerminating,
  type ApiResource,
  type FeatureGates,
  type KubernetesObject,
  type StatefulSet,
} from '@holdfast/core';
import { durationFlag, quoted } from '@holdfast/runtime';
import type { Policy, Retention, WorkloadFacts } from './decide/snapshot.ts';
import type { GateName } from './gates.ts';

type StatefulSetSpec = NonNullable<StatefulSet['spec']>;

/** A StatefulSet or similar workload: the fields that retention reads. */
export interface Workload extends KubernetesObject {
  readonly spec?: Pick<StatefulSetSpec, 'replicas' | 'ordinals' | 'persistentVolumeClaimRetentionPolicy'> & {
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
    /** Kruise: ordinals that get no pod, as numbers or as ranges `3-5`. */
    readonly reserveOrdinals?: readonly (number | string)[];
  };
}

export type WorkloadResource = ApiResource<Workload>;

/** Annotations of a workload. */
export const workloadAnnotations = {
  /** The policy, if the API server drops the field, or together with an undo window. */
  whenDeleted: 'holdfast.dev/when-deleted',
  whenScaled: 'holdfast.dev/when-scaled',
  /**
   * Time between a scale-down and the deletion of its claims, for example `30m` (gate DeletionGracePeriod).
   */
  grace: 'holdfast.dev/scale-down-grace',
  /** Time between the workload's deletion and that of its claims (the same gate). */
  deletionGrace: 'holdfast.dev/set-deletion-grace',
} as const;

/** The two halves of a policy, and the annotations of each. */
const halves = {
  whenDeleted: {
    policy: workloadAnnotations.whenDeleted,
    window: workloadAnnotations.deletionGrace,
    what: 'with the set',
  },
  whenScaled: {
    policy: workloadAnnotations.whenScaled,
    window: workloadAnnotations.grace,
    what: 'on scale-down',
  },
} as const;

const halfNames = ['whenDeleted', 'whenScaled'] as const;

/** Returns the policy as written in the field or in annotations. */
export function policyOf(workload: Workload): Policy {
  return { whenDeleted: halfOf(workload, 'whenDeleted'), whenScaled: halfOf(workload, 'whenScaled') };
}

/**
 * Returns one half of the policy. A Delete in the field wins. If the field says Retain, a stock controller
 * would remove any reference, so the annotation only counts with an undo window, which needs none.
 */
function halfOf(workload: Workload, half: keyof Policy): Retention {
  const field = fieldOf(workload);
  const byAnnotation = retention(annotationOf(workload, halves[half].policy));
  if (field === undefined) {
    return byAnnotation;
  }
  return field[half] === 'Delete' || annotationOf(workload, halves[half].window) === undefined
    ? field[half]
    : byAnnotation;
}

function fieldOf({ spec }: Workload): Policy | undefined {
  const field = spec?.persistentVolumeClaimRetentionPolicy;
  return field && { whenDeleted: retention(field.whenDeleted), whenScaled: retention(field.whenScaled) };
}

function annotationOf({ metadata }: Workload, name: string): string | undefined {
  return metadata.annotations?.[name];
}

function retention(value: string | undefined): Retention {
  return value === 'Delete' ? 'Delete' : 'Retain';
}

/**
 * Returns the stems of the claims that its templates make, each once: the API server accepts templates of the
 * same name.
 */
export function stemsOf({ metadata, spec }: Workload): readonly string[] {
  const stems = (spec?.volumeClaimTemplates ?? []).map(
    (template) => `${metadata.namespace ?? ''}/${template.metadata?.name ?? ''}-${metadata.name}`,
  );
  return [...new Set(stems)];
}

/** Returns whether two states of a workload make claims of the same names. */
export function haveSameTemplates(one: Workload, other: Workload): boolean {
  return stemsOf(one).join() === stemsOf(other).join();
}

/** No node can attach that many volumes for a pod. */
const mostTemplates = 256;

/**
 * Like {@link stemsOf}, for the cache. The API server accepts 50,000 templates, and each pod of the
 * workload's name is looked up under all of them.
 *
 * @throws Error if there are more than 256.
 */
export function cachedStemsOf(workload: Workload): readonly string[] {
  const stems = stemsOf(workload);
  if (stems.length > mostTemplates) {
    throw new Error(
      `it has ${String(stems.length)} volumeClaimTemplates, and no pod can have more than ${String(mostTemplates)} volumes of them`,
    );
  }
  return stems;
}

/**
 * Returns whether there should be a pod of this ordinal: it is among the first `replicas` ordinals, counted
 * from the start without reserved ones. If the workload's numbers cannot be read, or it has no replicas,
 * every ordinal is wanted, since nothing is deleted on a guess. The API server fills in the replicas of a
 * StatefulSet; only the operator of another kind knows what it means without them.
 */
export function isWanted({ spec }: Workload, ordinal: number): boolean {
  const start: unknown = spec?.ordinals?.start ?? 0;
  const replicas: unknown = spec?.replicas;
  const reserved = reservationsOf(spec?.reserveOrdinals ?? []);
  if (!isCount(replicas) || !isCount(start) || reserved === undefined) {
    return true;
  }
  if (ordinal < start || isReserved(reserved, ordinal)) {
    return false;
  }
  const skipped = countUpTo(reserved, ordinal) - countUpTo(reserved, start - 1);
  return ordinal - start - skipped < replicas;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Consecutive reserved ordinals. */
interface Reservation {
  readonly first: number;
  readonly last: number;
  /** How many are reserved before these. */
  readonly before: number;
}

const reservation = /^(\d+)(?:-(\d+))?$/;

/** A list of a megabyte is parsed once, and not for each claim. Objects are never changed in place. */
const known = new WeakMap<object, readonly Reservation[] | undefined>();

/**
 * Returns what is reserved, in order and without overlaps; undefined if it is not a list, or an entry cannot
 * be parsed.
 */
function reservationsOf(reserved: unknown): readonly Reservation[] | undefined {
  if (!Array.isArray(reserved)) {
    return undefined;
  }
  if (!known.has(reserved)) {
    known.set(reserved, readReservations(reserved));
  }
  return known.get(reserved);
}

function readReservations(reserved: readonly unknown[]): readonly Reservation[] | undefined {
  const ranges: (readonly [first: number, last: number])[] = [];
  for (const entry of reserved) {
    const text = typeof entry === 'number' || typeof entry === 'string' ? String(entry) : '';
    const [, first, last = first] = reservation.exec(text) ?? [];
    if (first === undefined || Number(last) < Number(first)) {
      return undefined;
    }
    ranges.push([Number(first), Number(last)]);
  }
  const merged: Reservation[] = [];
  for (const [first, last] of ranges.sort(([a], [b]) => a - b)) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous.last) {
      merged[merged.length - 1] = { ...previous, last: Math.max(previous.last, last) };
    } else {
      const before = previous === undefined ? 0 : countIn(previous);
      merged.push({ first, last, before });
    }
  }
  return merged;
}

function countIn({ first, last, before }: Reservation): number {
  return before + last - first + 1;
}

/** Returns the last reservation that begins at the ordinal or before it. */
function reservationAt(reserved: readonly Reservation[], ordinal: number): Reservation | undefined {
  let [low, high] = [0, reserved.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((reserved[middle]?.first ?? Infinity) <= ordinal) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return reserved[low - 1];
}

function isReserved(reserved: readonly Reservation[], ordinal: number): boolean {
  const found = reservationAt(reserved, ordinal);
  return found !== undefined && ordinal <= found.last;
}

/** Returns how many ordinals are reserved up to this one. */
function countUpTo(reserved: readonly Reservation[], ordinal: number): number {
  const found = reservationAt(reserved, ordinal);
  return found === undefined ? 0 : countIn({ ...found, last: Math.min(found.last, ordinal) });
}

const graceSchema = durationFlag({ description: workloadAnnotations.grace, default: '30m' }).schema;

/**
 * A hundred years, in milliseconds. The end of a longer window might have no date, or none in RFC 3339, which
 * ends with the year 9999.
 */
const longestWindow = 876_000 * 3_600_000;

/**
 * Returns the undo window that a workload asks for, in milliseconds, or why it is not possible; undefined if
 * it asks for none.
 */
function undoWindowOf(
  workload: Workload,
  name: string,
  gates: FeatureGates<GateName>,
): number | { readonly problem: string } | undefined {
  const value = annotationOf(workload, name);
  if (value === undefined) {
    return undefined;
  }
  const read = graceSchema.safeParse(value);
  if (!read.success || read.data > longestWindow) {
    return {
      problem: `${name} is ${quoted(value)}; write a duration such as 90s, 30m or 24h, up to 876000h`,
    };
  }
  return gates.enabled('DeletionGracePeriod')
    ? read.data
    : { problem: `${name} is ${value}, and feature gate DeletionGracePeriod is off; turn it on` };
}

/** Something that a workload asks for and does not get. */
export interface Warning {
  /** The reason of the Event. */
  readonly reason: 'UndoWindowUnusable' | 'UndoWindowNotHeld' | 'PolicyIgnored';
  readonly note: string;
}

/**
 * Returns what a workload asks for and does not get, for both halves of its policy.
 *
 * @param stock whether a stock controller carries out the field, or might
 */
export function warningsOf(
  { resource, workload }: { readonly resource: WorkloadResource; readonly workload: Workload },
  gates: FeatureGates<GateName>,
  stock: boolean,
): readonly Warning[] {
  const field = fieldOf(workload);
  return halfNames.flatMap((half): readonly Warning[] => {
    const { policy, window, what } = halves[half];
    const grace = undoWindowOf(workload, window, gates);
    const isOfStock = stock && hasStockController(resource) && field?.[half] === 'Delete';
    const wayOut = `let the field ${half} say Retain, and annotation ${policy} Delete`;
    if (typeof grace === 'object') {
      const consequence = isOfStock
        ? `kube-controller-manager might delete claims ${what} without a window, as it does by default from Kubernetes 1.27 on: ${wayOut}. This controller deletes none`
        : `No claim is deleted ${what}`;
      return [{ reason: 'UndoWindowUnusable', note: `${consequence}: annotation ${grace.problem}` }];
    }
    if (grace !== undefined && isOfStock) {
      const note = `Annotation ${window} does not hold where kube-controller-manager deletes claims itself, by default from Kubernetes 1.27 on: ${wayOut}`;
      return [{ reason: 'UndoWindowNotHeld', note }];
    }
    if (grace === undefined && field?.[half] === 'Retain' && annotationOf(workload, policy) === 'Delete') {
      const note =
        `Annotation ${policy} counts for nothing, since the field ${half} says Retain and there is no undo window: ` +
        'write Delete into the field of persistentVolumeClaimRetentionPolicy';
      return [{ reason: 'PolicyIgnored', note }];
    }
    return [];
  });
}

/** Returns what the workload says about the claim of one ordinal, as far as the gates allow it. */
export function factsOf(
  workload: Workload,
  resource: WorkloadResource,
  ordinal: number,
  gates: FeatureGates<GateName>,
): WorkloadFacts {
  const { name, uid, creationTimestamp } = workload.metadata;
  const policy = gates.enabled('StatefulSetAutoDeletePVC') ? policyOf(workload) : keepAll;
  const grace = undoWindowOf(workload, workloadAnnotations.grace, gates);
  const deletionGrace = undoWindowOf(workload, workloadAnnotations.deletionGrace, gates);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    createdAt: creationTimestamp === undefined ? undefined : Date.parse(creationTimestamp),
    deletion: deletionOf(workload),
    ...policy,
    field: hasStockController(resource) ? fieldOf(workload) : undefined,
    wanted: isWanted(workload, ordinal),
    grace: typeof grace === 'object' ? 'unusable' : grace,
    deletionGrace: typeof deletionGrace === 'object' ? 'unusable' : deletionGrace,
  };
}

/**
 * Nobody can change the templates of a StatefulSet, but those of another kind can change while its claims
 * exist.
 */
export function canChangeTemplates(resource: WorkloadResource): boolean {
  return !hasStockController(resource);
}

/** Returns whether each of its pods has a label with the pod's name. Other kinds might leave it out. */
export function labelsItsPods(resource: WorkloadResource): boolean {
  return hasStockController(resource);
}

function hasStockController({ group, kind }: WorkloadResource): boolean {
  return group === 'apps' && kind === 'StatefulSet';
}

export function deletionOf(workload: Workload): WorkloadFacts['deletion'] {
  if (!isTerminating(workload)) {
    return 'none';
  }
  return workload.metadata.finalizers?.includes(orphanFinalizer) === true ? 'orphaning' : 'underWay';
}

/**
 * Returns how long claims survive their workload, in milliseconds; undefined if they are not deleted with it,
 * or not after an undo window.
 */
export function deletionWindowOf(workload: Workload, gates: FeatureGates<GateName>): number | undefined {
  const window = undoWindowOf(workload, workloadAnnotations.deletionGrace, gates);
  return gates.enabled('StatefulSetAutoDeletePVC') &&
    policyOf(workload).whenDeleted === 'Delete' &&
    typeof window === 'number'
    ? window
    : undefined;
}

const keepAll: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };

/** The garbage collector's finalizer: an owner has it until its dependents are orphaned. */
const orphanFinalizer = 'orphan';
