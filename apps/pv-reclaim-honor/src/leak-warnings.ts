import { persistentVolumes, type PersistentVolume } from '@holdfast/core';
import type { Clock, EventRecorder, ReconcileResult } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Warns of volumes that were deleted before they were held, each once in the life of this process. */
export interface LeakWarnings {
  /** Warns of a volume that is terminating and not held, if it still is after five seconds. */
  warn(volume: PersistentVolume): ReconcileResult;
  forget(uid: string): void;
}

export interface LeakWarningsOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'leakRisk'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** A volume that is terminating and not held might just be on its way out: its warning waits for this time, milliseconds. */
const grace = 5_000;

export function createLeakWarnings({ clock, logger, metrics, events }: LeakWarningsOptions): LeakWarnings {
  /** When the volume was first seen to be at risk, or that it was warned of, by UID. */
  const known = new Map<string, number | 'warned'>();

  return {
    warn: (volume) => {
      const { name, uid } = volume.metadata;
      const since = known.get(uid) ?? clock.now();
      if (since === 'warned') {
        return { kind: 'done' };
      }
      const left = since + grace - clock.now();
      if (left > 0) {
        known.set(uid, since);
        return { kind: 'requeueAfter', delay: left };
      }
      known.set(uid, 'warned');
      events.record(persistentVolumes, volume, {
        type: 'Warning',
        reason: 'VolumeMayLeak',
        action: 'Hold',
        note: 'The volume was deleted before it was held by a finalizer, and none can be added any more: its storage may be left behind',
      });
      metrics.leakRisk();
      logger.warn({ volume: name, reason: 'TerminatingUnheld' }, 'Volume may leak');
      return { kind: 'done' };
    },
    forget: (uid) => {
      known.delete(uid);
    },
  };
}
