import type { AnnotationChanges } from './claim-patch.ts';
import type { MarkDecision, TieDecision, UnmarkDecision, UntieDecision } from './decide/decision.ts';
import { deleteAfterAnnotation, markAnnotations, noMark } from './decide/mark.ts';
import { deletedWithAnnotation } from './decide/tie.ts';

/** The decisions that write annotations of a claim. */
export type Annotating = MarkDecision | UnmarkDecision | TieDecision | UntieDecision;

/** Returns the annotations that the decision changes. */
export function annotationsOf(decision: Annotating): AnnotationChanges {
  switch (decision.kind) {
    case 'mark':
      return {
        ...markAnnotations(decision),
        // The mark replaces the tie: a user who removes the mark keeps the claim.
        ...(decision.reason === 'DeletedWithWorkload' ? { [deletedWithAnnotation]: undefined } : {}),
      };
    case 'unmark':
      return decision.what === 'mark' ? noMark : { [deleteAfterAnnotation]: undefined };
    case 'tie':
      return { [deletedWithAnnotation]: decision.value };
    case 'untie':
      return { [deletedWithAnnotation]: undefined };
  }
}
