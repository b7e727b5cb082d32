import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlaneOrder, ControlPlaneProcess } from './control-plane.ts';

const interval = 10_000;

/**
 * What is done to the control plane, and when, in milliseconds since the churn began: three restarts, evenly
 * spread, and in between a cut of the watches every ten seconds, every third time with a compaction.
 *
 * A restart also cuts all watches. It is all that can be done to the real control plane, which compacts by
 * itself every five minutes.
 */
export function disturbancesOf(
  duration: number,
  backend: 'embedded' | 'real',
): readonly { readonly at: number; readonly order: ControlPlaneOrder }[] {
  const restarts = [1, 2, 3].map((quarter) => ({
    at: (duration * quarter) / 4,
    order: 'restartApiServer' as const,
  }));
  const cuts = Array.from({ length: Math.ceil(duration / interval) - 1 }, (_, index) => ({
    at: (index + 1) * interval,
    order: index % 3 === 2 ? ('cutWatchesAndCompact' as const) : ('cutWatches' as const),
  }));
  return [...restarts, ...(backend === 'embedded' ? cuts : [])].toSorted((a, b) => a.at - b.at);
}

/**
 * Disturbs the control plane until everything is done or the signal is aborted, which is no reason to reject.
 *
 * @param done called for each disturbance
 */
export async function disturb(
  plane: ControlPlaneProcess,
  disturbances: ReturnType<typeof disturbancesOf>,
  done: (order: ControlPlaneOrder) => void,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  for (const { at, order } of disturbances) {
    const wait = began + at - performance.now();
    await pause(Math.max(wait, 0), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      return;
    }
    await plane.carryOut(order);
    done(order);
  }
}
