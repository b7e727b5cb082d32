import type { PersistentVolume } from '@holdfast/core';
import { reclaimPolicyAnnotation } from '@holdfast/pv-reclaim-honor/decide';
import type { Case } from '../explanation.ts';

/** What becomes of the storage of a volume with policy Delete whose policy is set to Retain. */
export function setToRetain({ metadata: { annotations } }: PersistentVolume): Omit<Case, 'what'> {
  return annotations?.[reclaimPolicyAnnotation] === 'Delete'
    ? {
        then: `its storage is kept for good only if annotation ${reclaimPolicyAnnotation} is taken off as well: with it, an undo window ends with the deletion of the storage`,
        source: 'reclaimWindow',
      }
    : { then: 'its storage stays, whatever is deleted', source: 'reclaimPolicy' };
}
