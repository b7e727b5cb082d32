import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlaneOrder, ControlPlaneProcess } from './control-plane.ts';

const interval = 10_000;

/**
 * What is done to the control plane and when, in milliseconds since the churn began: three restarts, spread evenly, and every
 * ten seconds in between the watches are cut, every third time with a compaction.
 *
 * A restart cuts all watches too; it is all that can be done to the real one, which compacts by itself every five minutes.
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

/** Disturbs until all is done or the signal is aborted; never rejects because of the latter. @param done told of each. */
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
