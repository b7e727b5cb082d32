import { persistentVolumes } from '@holdfast/core';
import { resultOfWrite, type EventRecorder, type ReconcileResult } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { FinalizerChange } from './decide/decision.ts';
import type { Fights } from './fights.ts';
import type { FinalizerWriter } from './finalizer-writer.ts';
import type { Metrics } from './metrics.ts';
import type { OwnWrites } from './own-writes.ts';

export interface ChangeFinalizersOptions {
  readonly writeFinalizers: FinalizerWriter;
  readonly ownWrites: Pick<OwnWrites, 'begin' | 'wrote'>;
  readonly fights: Pick<Fights, 'next' | 'wrote'>;
  /** Whether the API client sends only dry runs. */
  readonly dryRun: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'fight' | 'leakRisk'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/**
 * Carries out a change of finalizers. If another client undoes it again and again, it warns about that and
 * pauses.
 */
export function createChangeFinalizers(
  options: ChangeFinalizersOptions,
): (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult> {
  const { writeFinalizers, ownWrites, fights, dryRun, logger, metrics, events } = options;

  const warnOfPause = ({ volume, add, remove, reason }: FinalizerChange, pause: number): void => {
    const undone = [...add.map((each) => `adding ${each}`), ...remove.map((each) => `removing ${each}`)];
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: `Finalizers are left alone for ${String(pause / 60_000)} min: another client undoes ${undone.join(' and ')}; what is deleted meanwhile may be left behind on the storage`,
    });
    metrics.fight();
    metrics.leakRisk();
    logger.warn({ volume: volume.metadata.name, add, remove, reason, pause }, 'Fight over finalizers paused');
  };

  return async (change, signal) => {
    const { volume, add, remove, reason } = change;
    const { name, uid } = volume.metadata;
    const what = `${add.join()} -${remove.join()}`;
    const answer = fights.next(uid, what);
    if (answer.kind === 'pause') {
      if (answer.begins) {
        warnOfPause(change, answer.left);
      }
      return { kind: 'requeueAfter', delay: answer.left };
    }
    ownWrites.begin(uid);
    const written = await writeFinalizers(volume, change, { signal });
    if (written.kind === 'written') {
      if (!dryRun) {
        ownWrites.wrote(uid, written.object.metadata.resourceVersion);
        fights.wrote(uid, what);
      }
      logger.info({ volume: name, add, remove, reason }, 'Finalizers changed');
    }
    return resultOfWrite(written);
  };
}
