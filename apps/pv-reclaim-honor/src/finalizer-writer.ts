import {
  guardedPatch,
  persistentVolumes,
  pointer,
  testAbsent,
  type JsonPatch,
  type PersistentVolume,
} from '@holdfast/core';
import {
  guardedWrite,
  writeOutcome,
  type ApiClient,
  type RequestOptions,
  type Written,
} from '@holdfast/runtime';
import type { Metrics } from './metrics.ts';

/** Finalizers to be put on and taken off together. */
export interface FinalizerDifference {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Puts finalizers on a volume and takes others off in one write, so that the volume is never without one in between, and counts
 * the outcome. The whole list and the reclaim policy must still be those of `volume`, and the look that it comes from, if it comes from
 * one, must not have grown too old; otherwise the write is outdated.
 *
 * Never rejects.
 */
export type FinalizerWriter = (
  volume: PersistentVolume,
  difference: FinalizerDifference,
  options: RequestOptions,
) => Promise<Written<PersistentVolume>>;

export function createFinalizerWriter(
  client: Pick<ApiClient, 'patch'>,
  metrics: Pick<Metrics, 'finalizer'>,
): FinalizerWriter {
  return async (volume, difference, options) => {
    const { name } = volume.metadata;
    const written = await guardedWrite(() =>
      client.patch(persistentVolumes, { name }, finalizerPatch(volume, difference), options),
    );
    metrics.finalizer(difference.add.length > 0 ? 'add' : 'remove', writeOutcome(written));
    return written;
  };
}

const list = pointer('metadata', 'finalizers');
const policy = pointer('spec', 'persistentVolumeReclaimPolicy');

/** @throws Error when nothing would change. */
function finalizerPatch(volume: PersistentVolume, { add, remove }: FinalizerDifference): JsonPatch {
  const present = volume.metadata.finalizers ?? [];
  const next = [...present.filter((finalizer) => !remove.includes(finalizer))];
  next.push(...add.filter((finalizer) => !next.includes(finalizer)));
  if (next.length === present.length && next.every((finalizer, index) => finalizer === present[index])) {
    throw new Error(`volume ${volume.metadata.name} has the finalizers [${present.join(', ')}] already`);
  }
  return guardedPatch(volume, [
    { op: 'test', path: policy, value: volume.spec?.persistentVolumeReclaimPolicy ?? null },
    ...(present.length === 0
      ? [testAbsent(list), { op: 'add' as const, path: list, value: next }]
      : [
          { op: 'test' as const, path: list, value: present },
          { op: 'replace' as const, path: list, value: next },
        ]),
  ]);
}
