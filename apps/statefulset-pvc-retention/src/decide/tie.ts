import type { PersistentVolumeClaim } from '@holdfast/core';
import type { WorkloadFacts } from './snapshot.ts';

/**
 * Annotation of a claim that will be deleted with its workload, after an undo window (gate
 * DeletionGracePeriod). It replaces the reference, with which the garbage collector would delete the claim at
 * once. It names kind, workload and its UID, and the claim's UID, because a backup restores annotations on
 * another claim.
 */
export const deletedWithAnnotation = 'holdfast.dev/deleted-with';

/** The workload that a claim is tied to. */
export interface TiedTo {
  /** `StatefulSet.apps`. */
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the annotation's value, `StatefulSet.apps/web/<UID>/<UID of the claim>`. */
export function tieValue({ metadata }: PersistentVolumeClaim, { kind, name, uid }: TiedTo): string {
  return `${kind}/${name}/${uid}/${metadata.uid}`;
}

/**
 * Returns what an annotation of this form says about this claim; `void` if it was written for another claim,
 * or cannot be parsed.
 */
export function parseTie({ metadata }: PersistentVolumeClaim, value: string): TiedTo | 'void' {
  const [kind, name, uid, claimUid, ...more] = value.split('/');
  return kind && name && uid && claimUid === metadata.uid && more.length === 0 ? { kind, name, uid } : 'void';
}

/** Returns the claim's tie; undefined if it has none. */
export function tieOf(claim: PersistentVolumeClaim): TiedTo | 'void' | undefined {
  const value = claim.metadata.annotations?.[deletedWithAnnotation];
  return value === undefined ? undefined : parseTie(claim, value);
}

export function tiedTo({ apiVersion, kind, name, uid }: WorkloadFacts): TiedTo {
  return { kind: `${kind}.${apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))}`, name, uid };
}

export function isOfTiedKind(
  { kind }: TiedTo,
  resource: { readonly kind: string; readonly group: string },
): boolean {
  return kind === `${resource.kind}.${resource.group}`;
}

/** Returns whether the claim is tied to this workload, by UID. */
export function isTied(claim: PersistentVolumeClaim, { uid }: Pick<WorkloadFacts, 'uid'>): boolean {
  const tie = tieOf(claim);
  return typeof tie === 'object' && tie.uid === uid;
}
