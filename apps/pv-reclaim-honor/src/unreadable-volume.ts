import type { PersistentVolume } from '@holdfast/core';
import type { UnreadableVolume } from './decide/snapshot.ts';
import { claimThatIsNamed } from './observe/claim-of.ts';
import { isText, isUnset } from './shape.ts';
import { slimVolume } from './slim.ts';

/** @returns undefined if the volume can be read. */
export function unreadable(volume: PersistentVolume): UnreadableVolume | undefined {
  try {
    mustNameItsClaim(slimVolume.fromJson(volume));
    return undefined;
  } catch (error) {
    return { name: volume.metadata.name, why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * A projection checks only messages and lists, and a UID that is not a string would make the claim look gone. So would
 * one without a name or namespace.
 */
function mustNameItsClaim(volume: PersistentVolume): void {
  for (const [name, value] of Object.entries(volume.spec?.claimRef ?? {})) {
    if (!isText(value) && !isUnset(value)) {
      throw new Error(`"claimRef.${name}" is no text`);
    }
  }
  claimThatIsNamed(volume);
}
