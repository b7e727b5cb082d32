import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { createFights, type Clock, type EventRecorder, type Written } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Annotating } from './annotations.ts';
import type { OwnersDecision } from './decide/decision.ts';

/** A write that another client can undo. */
export type Undoable = OwnersDecision | Annotating;

/** The claims over which this process and another client fight, each undoing what the other writes. */
export interface FoughtOver {
  /**
   * Returns how long this write is to wait, in milliseconds; 0: it is to be sent now. Warns when a pause begins. The
   * other claims of the workload are not concerned.
   */
  wait(decision: Undoable): number;
  /** Records what became of the write. */
  sent(decision: Undoable, written: Written<PersistentVolumeClaim>): void;
  /** Call when the claim is gone. */
  forget(claim: PersistentVolumeClaim): void;
}

/** How long a claim is left alone, in milliseconds. */
const pause = { first: 1_000, longest: 30_000 };
/** The same where a reference is to be removed that might have the claim deleted at any moment. */
const shortPause = { first: 1_000, longest: 2_000 };
/** In milliseconds. A client that undoes writes less often costs the API server too little to let it have its way. */
const window = 5_000;

export function createFoughtOver(
  clock: Clock,
  events: Pick<EventRecorder, 'record'>,
  logger: Pick<Logger, 'warn'>,
): FoughtOver {
  const others = createFights({ clock, pause, window });
  const removals = createFights({ clock, pause: shortPause, window });
  return {
    wait: (decision) => {
      const { claim, reason } = decision;
      const [key, what] = [keyOf(decision), nameOf(decision)];
      const [fights, ended] = keepsData(decision) ? [removals, others] : [others, removals];
      // A different write ends a fight.
      ended.forget(key);
      const answer = fights.next(key, what);
      if (answer.kind === 'write') {
        return 0;
      }
      if (answer.begins) {
        const { namespace, name } = claim.metadata;
        logger.warn(
          { namespace, claim: name, what, reason, pause: answer.left },
          'Another client undoes each write',
        );
        events.record(persistentVolumeClaims, claim, {
          type: 'Warning',
          reason: 'RetentionUndone',
          action: 'None',
          note: `Another client undoes what the retention policy calls for, each time (${what}). It is written again within ${String((keepsData(decision) ? shortPause : pause).longest / 1_000)} s`,
        });
      }
      return answer.left;
    },
    sent: (decision, written) => {
      // In a dry run nothing is stored, and what was not stored is not undone.
      if (
        written.kind === 'written' &&
        written.object.metadata.resourceVersion !== decision.claim.metadata.resourceVersion
      ) {
        (keepsData(decision) ? removals : others).wrote(keyOf(decision), nameOf(decision));
      }
    },
    forget: ({ metadata }) => {
      for (const field of fields) {
        others.forget(`${metadata.uid} ${field}`);
        removals.forget(`${metadata.uid} ${field}`);
      }
    },
  };
}

/** Returns whether this takes an owner from the claim that it might go with, as a pod whose ordinal is wanted again. */
function keepsData(decision: Undoable): boolean {
  return (
    decision.kind === 'setOwners' &&
    (decision.operation === 'remove' || (decision.operation === 'swap' && decision.owner?.kind !== 'Pod'))
  );
}

const fields = ['owners', 'annotations'] as const;

function keyOf({ kind, claim }: Undoable): string {
  const field: (typeof fields)[number] = kind === 'setOwners' ? 'owners' : 'annotations';
  return `${claim.metadata.uid} ${field}`;
}

function nameOf(decision: Undoable): string {
  return decision.kind === 'setOwners'
    ? `${decision.operation} owner ${decision.owner === undefined ? '' : `${decision.owner.kind} ${decision.owner.name}`}`.trim()
    : decision.kind;
}
