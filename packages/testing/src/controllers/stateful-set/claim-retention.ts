import type { OwnerReference, PersistentVolumeClaim, StatefulSet } from '@holdfast/core';
import { controllerReference, isWanted } from './identity.ts';

/*
 * Retention of claims by owner references (KEP-1847), as kube-controller-manager 1.36 implements it: it sets
 * blockOwnerDeletion, which the KEP does not.
 */

/** The pod of an ordinal, or the name that it will have. */
export interface ClaimUser {
  readonly name: string;
  /** Undefined before the pod is created. */
  readonly uid: string | undefined;
  readonly ordinal: number;
}

interface Policy {
  readonly whenScaled: 'Retain' | 'Delete';
  readonly whenDeleted: 'Retain' | 'Delete';
}

/** Any value other than Delete counts as Retain. */
function policyOf({ spec }: StatefulSet): Policy {
  const { whenScaled, whenDeleted } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return {
    whenScaled: whenScaled === 'Delete' ? 'Delete' : 'Retain',
    whenDeleted: whenDeleted === 'Delete' ? 'Delete' : 'Retain',
  };
}

/**
 * Whether the claim is still to be deleted together with an earlier pod of that name: no new pod may use it
 * then.
 */
export function isStale(claim: PersistentVolumeClaim, set: StatefulSet, podName: string): boolean {
  return (
    policyOf(set).whenScaled === 'Delete' &&
    referencesOf(claim).some((reference) => isPod(reference, podName))
  );
}

/** The owner references that the claim should have; undefined if it already has them. */
export function wantedReferences(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: ClaimUser,
): readonly OwnerReference[] | undefined {
  const present = referencesOf(claim);
  const isSet = ({ apiVersion, kind, name }: OwnerReference): boolean =>
    apiVersion === 'apps/v1' && kind === 'StatefulSet' && name === set.metadata.name;
  const isOurs = (reference: OwnerReference): boolean => isSet(reference) || isPod(reference, pod.name);
  const setOwner = present.find(isSet);
  const podOwner = present.find((reference) => isPod(reference, pod.name));
  if (setOwner !== undefined && setOwner.uid !== set.metadata.uid) {
    return undefined;
  }
  if (podOwner !== undefined && podOwner.uid !== pod.uid) {
    return undefined;
  }

  const { whenScaled, whenDeleted } = policyOf(set);
  const isActive = whenScaled === 'Delete' || whenDeleted === 'Delete';
  const others = present.filter((reference) => !isOurs(reference));
  if (isActive && others.some(({ controller }) => controller === true)) {
    return others.length < present.length ? others : undefined;
  }
  const owner = wantedOwner(set, pod);
  const isRight =
    present.filter(isOurs).every(({ uid, controller }) => uid === owner?.uid && controller === true) &&
    (owner === undefined || present.some(({ uid }) => uid === owner.uid));
  return isRight ? undefined : [...others, ...(owner === undefined ? [] : [owner])];
}

function wantedOwner(set: StatefulSet, pod: ClaimUser): OwnerReference | undefined {
  const { whenScaled, whenDeleted } = policyOf(set);
  const isCondemned = !isWanted(set, pod.ordinal);
  if (whenScaled === 'Delete' && isCondemned) {
    const { name, uid } = pod;
    if (uid === undefined) {
      return undefined;
    }
    return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
  }
  return whenDeleted === 'Delete' ? controllerReference('apps/v1', 'StatefulSet', set) : undefined;
}

function isPod({ apiVersion, kind, name }: OwnerReference, podName: string): boolean {
  return apiVersion === 'v1' && kind === 'Pod' && name === podName;
}

function referencesOf(claim: PersistentVolumeClaim): readonly OwnerReference[] {
  return claim.metadata.ownerReferences ?? [];
}
