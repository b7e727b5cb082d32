import { openLook, seenOnlyLiveDelay, type ReconcileResult } from '@holdfast/runtime';
import { decide } from './decide.ts';
import type { ServerQuestion, Waiting } from './decide/decision.ts';
import type { DeletionProgress } from './deletion-progress.ts';
import type { TakeSnapshot } from './take-snapshot.ts';
import type { WriteUndo } from './undo/undo-writer.ts';
import type { VolumeWarnings } from './volume-warnings.ts';
import { warnedLook, type ObserveOnServer } from './warned-look.ts';

/** Carries out what an undo window requires: asks the API server, decides again, and writes. */
export type SettleUndo = (question: ServerQuestion, signal: AbortSignal) => Promise<ReconcileResult>;

export interface SettleUndoOptions {
  readonly observeOnServer: ObserveOnServer;
  readonly takeSnapshot: TakeSnapshot;
  readonly writeUndo: WriteUndo;
  readonly progress: Pick<DeletionProgress, 'lookAge'>;
  readonly warnings: Pick<VolumeWarnings, 'warn' | 'goesOn'>;
}

/**
 * The longest time until a waiting volume is looked at again, in milliseconds, since clocks might be set
 * meanwhile.
 */
const longestWait = 3_600_000;

export function waitForUndo({ delay }: Waiting): ReconcileResult {
  return { kind: 'requeueAfter', delay: Math.min(delay, longestWait) };
}

export function createSettleUndo({
  observeOnServer,
  takeSnapshot,
  writeUndo,
  progress,
  warnings,
}: SettleUndoOptions): SettleUndo {
  return async ({ volume, reason }, signal) => {
    const { name, uid } = volume.metadata;
    const look = openLook({ maxAge: progress.lookAge(uid) });
    const seen =
      reason === 'MarkInCache'
        ? // Its storage might not be about to go.
          await observeOnServer(name, { look, signal })
        : await warnedLook(volume, { look, signal }, { observeOnServer, warnings });
    warnings.goesOn(uid);
    const answer = decide(takeSnapshot(seen));
    switch (answer.kind) {
      case 'mark':
      case 'unmark':
      case 'giveBack':
        return writeUndo(answer, { look, signal });
      case 'wait':
        return waitForUndo(answer);
      case 'deleteObject':
      case 'none':
      case 'changeFinalizers':
      case 'warnOfLeak':
      case 'warnOfStuck':
      case 'postpone':
      case 'refuse':
      case 'reclaim':
      case 'finish':
        // Something differs from the cache. The change will arrive there, and then wakes the volume.
        return { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'askServer':
        throw new Error(`volume ${name}: the API server was asked, but the decision is to ask it again`);
    }
  };
}
