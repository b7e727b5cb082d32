import { hasFinalizer, type PersistentVolume } from '@holdfast/core';
import type { OurKeeper } from './snapshot.ts';

/** The finalizers of the volume that are ours, and ours to take off. */
export function heldBy(volume: PersistentVolume, { finalizer, stale }: OurKeeper): readonly string[] {
  return [finalizer, stale].filter((each) => each !== undefined && hasFinalizer(volume, each)) as string[];
}
