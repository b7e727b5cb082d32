import type { OwnerReference } from '@holdfast/core';
import type { Hand } from './stage.ts';

/**
 * Creates a set that is scaled down to nothing, with an undo window of this length. Resolves with the reference to it,
 * as a claim of its has it.
 */
export async function createScaledDownSet(hand: Hand, grace: string): Promise<OwnerReference> {
  const { metadata } = await hand.createSet({
    replicas: 0,
    policy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    annotations: { 'holdfast.dev/scale-down-grace': grace },
  });
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: metadata.uid, controller: true };
}
