import { isOlderVersion, type PersistentVolume } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';

/**
 * The version to which this process wrote the finalizers of each volume last, by UID: so that it does not decide on a cache that is behind
 * its own write.
 *
 * Nothing that must hold rests on it: a process that starts with an empty memory writes once more than needed, and the API server
 * refuses that.
 */
export interface OwnWrites {
  /**
   * Whether the cached volume is older than our last write of it, which is then still to come. That is believed for
   * {@link patience} after the write only: a cluster restored from a backup counts its versions from an older one, and the write never comes.
   */
  isBehind(cached: PersistentVolume): boolean;
  /** A write is about to be sent. */
  begin(uid: string): void;
  /** Records a write that succeeded, unless the volume was forgotten since it began. */
  wrote(uid: string, resourceVersion: string): void;
  forget(uid: string): void;
}

interface Write {
  readonly at: number;
  readonly resourceVersion: string;
}

/** How long a cache is waited for that is behind a write, milliseconds. One that works is behind by less than a second. */
export const patience = 5_000;

export function createOwnWrites(clock: Clock): OwnWrites {
  /** Undefined: none has succeeded yet. */
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
