import { isOlderVersion, type PersistentVolume } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';

/**
 * What this process wrote last to the finalizers of each volume, by UID: so that it does not decide on a cache that is behind its own
 * write, and notices when another undoes what it writes.
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
  /**
   * Asks whether to write this once more. `stop` is answered once, when the third of three such writes in a row has been undone
   * within a minute; `stopped` ever after.
   *
   * @param what the same text for the same write.
   */
  mayWrite(uid: string, what: string): 'write' | 'stop' | 'stopped';
  /** Records a write that succeeded, unless the volume is forgotten by now. */
  wrote(uid: string, what: string, resourceVersion: string): void;
  forget(uid: string): void;
}

interface Entry {
  last: { readonly what: string; readonly at: number; readonly resourceVersion: string } | undefined;
  /** Writes in a row that another has undone. */
  undone: number;
}

/** How long a cache is waited for that is behind a write, milliseconds. One that works is behind by less than a second. */
export const patience = 5_000;
/** A write that another undoes within this time is part of a fight, milliseconds. */
const fightWindow = 60_000;
const fightLimit = 3;

export function createOwnWrites(clock: Clock): OwnWrites {
  const entries = new Map<string, Entry>();
  return {
    isBehind: ({ metadata }) => {
      const last = entries.get(metadata.uid)?.last;
      return (
        last !== undefined &&
        clock.now() - last.at < patience &&
        isOlderVersion(metadata.resourceVersion, last.resourceVersion)
      );
    },
    mayWrite: (uid, what) => {
      const entry = entries.get(uid) ?? { last: undefined, undone: 0 };
      entries.set(uid, entry);
      if (entry.undone >= fightLimit) {
        return 'stopped';
      }
      const isUndone = entry.last?.what === what && clock.now() - entry.last.at < fightWindow;
      entry.undone = isUndone ? entry.undone + 1 : 0;
      return entry.undone >= fightLimit ? 'stop' : 'write';
    },
    wrote: (uid, what, resourceVersion) => {
      const entry = entries.get(uid);
      if (entry !== undefined) {
        entry.last = { what, at: clock.now(), resourceVersion };
      }
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}
