import { createHash } from 'node:crypto';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { markId, markIdOf, type MarkAnnotations } from './decide/mark.ts';

/**
 * The marks that have no effect any more, by their claims:
 *
 * - Those that should have been removed since they were written. Until the API server takes that write, the workload
 *   can have changed back, for example scaled up and down again: such a mark must not end the new window at the time of
 *   the former one.
 * - Those that were on the claim and are not any more. A tool that keeps annotations as they were writes them again and
 *   again.
 * - Those of an earlier scale-down that others have written over that of this one.
 *
 * It is kept in memory only: nothing on the claim shows what happened while no process ran.
 */
export interface StrayMarks {
  /** Returns whether the mark that the claim has now is such a one. */
  has(claim: PersistentVolumeClaim): boolean;
  /** Adds the mark that the claim has now. */
  add(claim: PersistentVolumeClaim): void;
  /**
   * Call before this program writes these annotations of a mark to the claim. They have a time of their own, but one
   * that was removed at this very millisecond can have had the same.
   */
  forgive(claim: PersistentVolumeClaim, annotations: MarkAnnotations): void;
  /** Call when the claim is gone. */
  delete(claim: PersistentVolumeClaim): void;
}

/** How many are kept for each claim, those that were seen last: each scale-down can leave one. */
const mostOfClaim = 16;

/** Others can write marks of 256 KiB. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64');
}

export function createStrayMarks(): StrayMarks {
  /** Digests of their IDs by the UID of the claim, in the order in which they were seen. */
  const digests = new Map<string, readonly string[]>();
  return {
    has: (claim) => {
      const ofClaim = digests.get(claim.metadata.uid);
      const id = ofClaim && markId(claim);
      return id !== undefined && ofClaim?.includes(digestOf(id)) === true;
    },
    add: (claim) => {
      const id = markId(claim);
      if (id !== undefined) {
        const digest = digestOf(id);
        const others = (digests.get(claim.metadata.uid) ?? []).filter((each) => each !== digest);
        digests.set(claim.metadata.uid, [...others, digest].slice(-mostOfClaim));
      }
    },
    forgive: ({ metadata: { uid } }, annotations) => {
      const ofClaim = digests.get(uid);
      if (ofClaim !== undefined) {
        const digest = digestOf(markIdOf(annotations));
        digests.set(
          uid,
          ofClaim.filter((each) => each !== digest),
        );
      }
    },
    delete: ({ metadata }) => void digests.delete(metadata.uid),
  };
}
