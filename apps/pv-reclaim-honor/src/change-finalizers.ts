import { persistentVolumes } from '@holdfast/core';
import { resultOfWrite, type EventRecorder, type ReconcileResult } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { FinalizerChange } from './decide/decision.ts';
import type { FinalizerWriter } from './finalizer-writer.ts';
import type { Metrics } from './metrics.ts';
import type { OwnWrites } from './own-writes.ts';

export interface ChangeFinalizersOptions {
  readonly writeFinalizers: FinalizerWriter;
  readonly ownWrites: Pick<OwnWrites, 'mayWrite' | 'wrote'>;
  /** The API client sends no write that lasts. */
  readonly dryRun: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'fight' | 'leakRisk'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Carries out a change of finalizers, unless another client undoes it again and again: then it warns of that, and gives up. */
export function createChangeFinalizers(
  options: ChangeFinalizersOptions,
): (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult> {
  const { writeFinalizers, ownWrites, dryRun, logger, metrics, events } = options;

  const giveUp = ({ volume, add, remove, reason }: FinalizerChange): void => {
    const undone = [...add.map((each) => `adding ${each}`), ...remove.map((each) => `removing ${each}`)];
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: `Finalizers are left alone: another client undoes ${undone.join(' and ')}; the storage may be left behind`,
    });
    metrics.fight();
    metrics.leakRisk();
    logger.warn({ volume: volume.metadata.name, add, remove, reason }, 'Fight over finalizers given up');
  };

  return async (change, signal) => {
    const { volume, add, remove, reason } = change;
    const { name, uid } = volume.metadata;
    const what = `${add.join()} -${remove.join()}`;
    switch (ownWrites.mayWrite(uid, what)) {
      case 'stopped':
        return { kind: 'done' };
      case 'stop':
        giveUp(change);
        return { kind: 'done' };
      case 'write':
    }
    const written = await writeFinalizers(volume, change, { signal });
    if (written.kind === 'written') {
      if (!dryRun) {
        ownWrites.wrote(uid, what, written.object.metadata.resourceVersion);
      }
      logger.info({ volume: name, add, remove, reason }, 'Finalizers changed');
    }
    return resultOfWrite(written);
  };
}
