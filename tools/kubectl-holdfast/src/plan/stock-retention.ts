import type { OwnerReference, PersistentVolumeClaim, Pod, StatefulSet } from '@holdfast/core';
import { isWanted } from '@holdfast/statefulset-pvc-retention/decide';

/**
 * Returns the owner references that kube-controller-manager gives a claim when it looks at the pod of the
 * claim's ordinal; undefined if it leaves them as they are. It looks at no claim without a pod, at no claim
 * of a set that is being deleted, and at no claim whose pod is of a wanted ordinal and is being deleted.
 *
 * | claim                                                    | whenScaled | whenDeleted | references to set and pod |
 * |----------------------------------------------------------|------------|-------------|---------------------------|
 * | refers by name to a set or pod with another UID          | -          | -           | as they are               |
 * | has another controller                                   | either is Delete         || none                      |
 * | -                                                        | Retain     | Retain      | none                      |
 * | -                                                        | Retain     | Delete      | the set                   |
 * | of a wanted ordinal                                      | Delete     | Retain      | none                      |
 * | of a wanted ordinal                                      | Delete     | Delete      | the set                   |
 * | of a condemned ordinal                                   | Delete     | -           | the pod                   |
 *
 * Follows pkg/controller/statefulset/stateful_set_utils.go of 1.36 (isClaimOwnerUpToDate,
 * updateClaimOwnerRefForSetAndPod). Releases up to 1.30 set the references even on a claim with another
 * controller.
 */
export function stockReferences(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): readonly OwnerReference[] | undefined {
  const present = claim.metadata.ownerReferences ?? [];
  const namesSet = (reference: OwnerReference): boolean =>
    reference.apiVersion === 'apps/v1' &&
    reference.kind === 'StatefulSet' &&
    reference.name === set.metadata.name;
  const namesPod = (reference: OwnerReference): boolean =>
    reference.apiVersion === 'v1' && reference.kind === 'Pod' && reference.name === pod.metadata.name;
  const isStale = present.some(
    (reference) =>
      (namesSet(reference) && reference.uid !== set.metadata.uid) ||
      (namesPod(reference) && reference.uid !== pod.metadata.uid),
  );
  if (isStale) {
    return undefined;
  }
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const others = present.filter((reference) => !namesSet(reference) && !namesPod(reference));
  const ours = present.filter((reference) => !others.includes(reference));
  const isActive = whenDeleted === 'Delete' || whenScaled === 'Delete';
  if (isActive && others.some(({ controller }) => controller === true)) {
    return ours.length > 0 ? others : undefined;
  }
  const isScaledDown = whenScaled === 'Delete' && !isWanted(set, ordinal);
  const owner = isScaledDown
    ? referenceTo('v1', 'Pod', pod)
    : whenDeleted === 'Delete'
      ? referenceTo('apps/v1', 'StatefulSet', set)
      : undefined;
  const isRight =
    owner === undefined
      ? ours.length === 0
      : ours.length === 1 && ours.every(({ uid, controller }) => uid === owner.uid && controller === true);
  return isRight ? undefined : [...others, ...(owner === undefined ? [] : [owner])];
}

function referenceTo(apiVersion: string, kind: string, { metadata }: StatefulSet | Pod): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
