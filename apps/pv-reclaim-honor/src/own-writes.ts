import { isOlderVersion, type PersistentVolume } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';

/**
 * The version to which this process last wrote the finalizers of each volume, by UID, so that it does not
 * decide from a cache that is behind its own write.
 *
 * No guarantee depends on it: a process that starts without this memory writes once more than needed, and the
 * API server refuses that.
 */
export interface OwnWrites {
  /**
   * Returns whether the cached volume is older than our last write of it, which is then still to arrive. It
   * only returns true for {@link patience} after the write: a cluster restored from a backup continues with
   * older versions, and the write never arrives.
   */
  isBehind(cached: PersistentVolume): boolean;
  /** Records that a write is about to be sent. */
  begin(uid: string): void;
  /** Records a write that succeeded, unless the volume was forgotten since it began. */
  wrote(uid: string, resourceVersion: string): void;
  forget(uid: string): void;
}

interface Write {
  readonly at: number;
  readonly resourceVersion: string;
}

/**
 * How long to wait for a cache that is behind a write, in milliseconds. A working cache is behind by less
 * than a second.
 */
export const patience = 5_000;

export function createOwnWrites(clock: Clock): OwnWrites {
  /** Undefined if none has succeeded yet. */
  const writes = new Map<string, Write | undefined>();
  return {
    isBehind: ({ metadata }) => {
      const last = writes.get(metadata.uid);
      return (
        last !== undefined &&
        clock.now() - last.at < patience &&
        isOlderVersion(metadata.resourceVersion, last.resourceVersion)
      );
    },
    begin: (uid) => {
      writes.set(uid, writes.get(uid));
    },
    wrote: (uid, resourceVersion) => {
      if (writes.has(uid)) {
        writes.set(uid, { at: clock.now(), resourceVersion });
      }
    },
    forget: (uid) => {
      writes.delete(uid);
    },
  };
}
