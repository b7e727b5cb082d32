import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import { referencesOf } from './references.ts';

/**
 * Returns an owner reference of the claim to itself. It is written in the same patch as the reference to its
 * workload, and removed once the workload was seen alive after that patch.
 *
 * When a workload is orphaned, the garbage collector removes the references that it knows about. A reference
 * that is written at that moment stays and refers to a workload that is gone, so the garbage collector
 * deletes its claim within milliseconds, before anything can remove the reference. But it does not delete an
 * object that still has one owner; it only removes the references whose owners are gone. The claim itself is
 * such an owner.
 *
 * The hold also tells every later process that the reference next to it was never confirmed. A reference to a
 * pod needs no hold: its claim was to be deleted with the pod before the set could be orphaned.
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

/**
 * Compares everything that `holdOn` writes: a reference that a user or a backup wrote differently is not a
 * hold.
 */
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
