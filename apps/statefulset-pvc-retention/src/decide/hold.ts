import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import { referencesOf } from './references.ts';

/**
 * An owner reference of the claim to itself, written in the same patch as the reference to its workload, and taken off once the workload
 * was seen alive after that patch.
 *
 * Whoever orphans a workload has the garbage collector take the references away that it knows of. One that is written at that moment stays,
 * refers to a workload that is gone, and the garbage collector deletes its claim within milliseconds: before anybody can take it back. But it deletes
 * no object that has one owner left; of those it takes only the references away whose owners are gone. The claim itself is such an owner.
 *
 * The hold also tells every later process that the reference beside it was never confirmed. A reference to a pod needs none:
 * its claim was to go with the pod before the set could be orphaned.
 */
export function holdOn({ metadata }: PersistentVolumeClaim): OwnerReference {
  const { name, uid } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name,
    uid,
    controller: false,
    blockOwnerDeletion: false,
  };
}

/** By all that `holdOn` writes: what a user or a backup has written otherwise is no hold. */
export function isHold(
  { metadata }: PersistentVolumeClaim,
  { kind, uid, controller, blockOwnerDeletion }: OwnerReference,
): boolean {
  return (
    kind === 'PersistentVolumeClaim' &&
    uid === metadata.uid &&
    controller === false &&
    blockOwnerDeletion === false
  );
}

export function isHeld(claim: PersistentVolumeClaim): boolean {
  return referencesOf(claim).some((reference) => isHold(claim, reference));
}
