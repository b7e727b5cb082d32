import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { PlayedOwnerState } from './world.ts';

/**
 * What the garbage collector does with an object, depending on its owners (attemptToDeleteItem in
 * garbagecollector.go):
 *
 * | owners           | answer                                |
 * |------------------|---------------------------------------|
 * | none             | nothing                               |
 * | all are gone     | it is deleted                         |
 * | some are gone    | the references to these are taken off |
 * | all live         | nothing                               |
 */
export type Collection =
  | { readonly kind: 'none' }
  | { readonly kind: 'delete'; readonly gone: readonly OwnerReference[] }
  | { readonly kind: 'keep'; readonly references: readonly OwnerReference[] };

export function collect(
  { metadata }: PersistentVolumeClaim,
  stateOf: (owner: OwnerReference) => PlayedOwnerState,
): Collection {
  const references = metadata.ownerReferences ?? [];
  const gone = references.filter((owner) => stateOf(owner) === 'gone');
  if (gone.length === 0) {
    return { kind: 'none' };
  }
  return gone.length === references.length
    ? { kind: 'delete', gone }
    : { kind: 'keep', references: references.filter((owner) => !gone.includes(owner)) };
}
