import type { PersistentVolume } from '@holdfast/core';
import { openLook, seenOnlyLiveDelay, type ReconcileResult } from '@holdfast/runtime';
import { decide } from './decide.ts';
import type { Waiting } from './decide/decision.ts';
import type { Observation } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';
import type { ServerObservationOptions } from './observe/server.ts';
import type { TakeSnapshot } from './take-snapshot.ts';
import type { WriteUndo } from './undo/undo-writer.ts';

/** Carries out what an undo window requires: asks the API server, decides again, and writes. */
export type SettleUndo = (volume: PersistentVolume, signal: AbortSignal) => Promise<ReconcileResult>;

export interface SettleUndoOptions {
  readonly observeOnServer: (volumeName: string, options: ServerObservationOptions) => Promise<Observation>;
  readonly takeSnapshot: TakeSnapshot;
  readonly writeUndo: WriteUndo;
  readonly progress: Pick<DeletionProgress, 'lookAge'>;
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
}: SettleUndoOptions): SettleUndo {
  return async ({ metadata: { name, uid } }, signal) => {
    const look = openLook({ maxAge: progress.lookAge(uid) });
    const answer = decide(takeSnapshot(await observeOnServer(name, { look, signal })));
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
