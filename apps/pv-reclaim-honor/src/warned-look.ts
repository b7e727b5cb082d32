import type { PersistentVolume } from '@holdfast/core';
import { ReconcileTimeout } from '@holdfast/runtime';
import type { Observation } from './decide/snapshot.ts';
import type { ServerObservationOptions } from './observe/server.ts';
import type { VolumeWarnings } from './volume-warnings.ts';

/** Looks at a volume on the API server. */
export type ObserveOnServer = (volumeName: string, options: ServerObservationOptions) => Promise<Observation>;

/**
 * Looks at a volume whose deletion depends on it, and warns if looks fail for long: a claim that cannot be read, or
 * is not named whole, might stay like that for ever.
 *
 * @throws what `observeOnServer` throws.
 */
export async function warnedLook(
  cached: PersistentVolume,
  asking: ServerObservationOptions,
  {
    observeOnServer,
    warnings,
  }: { readonly observeOnServer: ObserveOnServer; readonly warnings: Pick<VolumeWarnings, 'warn'> },
): Promise<Observation> {
  try {
    return await observeOnServer(cached.metadata.name, asking);
  } catch (error) {
    if (!asking.signal.aborted || asking.signal.reason instanceof ReconcileTimeout) {
      // The queue tries again.
      const why = error instanceof Error ? error.message : String(error);
      warnings.warn({ kind: 'lookFailed', volume: cached, reason: 'LookFailed', why });
    }
    throw error;
  }
}
