import type { PersistentVolume } from '@holdfast/core';
import type { UnreadableVolume } from './decide/snapshot.ts';
import { slimVolume } from './slim.ts';

/** @returns undefined: the volume can be read. */
export function unreadable(volume: PersistentVolume): UnreadableVolume | undefined {
  try {
    slimVolume.fromJson(volume);
    return undefined;
  } catch (error) {
    return { name: volume.metadata.name, why: error instanceof Error ? error.message : String(error) };
  }
}
