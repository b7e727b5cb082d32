import { backoffDelay, type Clock } from '@holdfast/runtime';

/*
 * What this process remembers of volumes, by UID. Nothing that must hold rests on it: a process that starts with an empty memory
 * finds all it needs in the cluster, asks the storage system once more than needed, and tells an Event once more.
 */

/** Delay between two tries to delete a volume on its storage, milliseconds. */
const retry = { initial: 1_000, max: 300_000 };
/** What is undone within this time after we wrote it was undone by somebody who fights us, milliseconds. */
const fightWindow = 60_000;
const fightLimit = 3;

export interface VolumeMemory {
  /** The storage system has confirmed the deletion. */
  storageDeleted: boolean;
  /** The leak risk has been told. */
  leakTold: boolean;
  /** When the volume was first seen to be at risk. */
  atRiskSince: number | undefined;
  /** When its reclaim was first tried. */
  reclaimingSince: number | undefined;
  /** The resourceVersion of our last write: a cache that is behind it tells nothing new. */
  writtenVersion: string | undefined;
}

interface Entry extends VolumeMemory {
  failures: number;
  notBefore: number;
  lastWrite: { readonly what: string; readonly at: number } | undefined;
  undone: number;
}

export interface VolumeMemories {
  /** What is remembered; from now on there is something to remember. */
  of(uid: string): VolumeMemory;
  peek(uid: string): Readonly<VolumeMemory> | undefined;
  /** Notes a failed try, unless the volume is forgotten by now; answers with the time to wait, milliseconds. */
  failed(uid: string): number;
  /** Time to wait until the next try is due, milliseconds; 0: now. */
  wait(uid: string): number;
  /** The next try is due now, whatever failed before. */
  retryNow(uid: string): void;
  /**
   * Asks whether to write this once more. `stop` is answered once, when the third of three such writes in a row has been undone
   * within a minute; `stopped` ever after.
   */
  mayWrite(uid: string, what: string): 'write' | 'stop' | 'stopped';
  /** Notes a write that succeeded, unless the volume is forgotten by now. */
  wrote(uid: string, what: string, resourceVersion: string): void;
  forget(uid: string): void;
}

export function createVolumeMemories(clock: Clock): VolumeMemories {
  const entries = new Map<string, Entry>();
  const entry = (uid: string): Entry => {
    const known = entries.get(uid);
    if (known !== undefined) {
      return known;
    }
    const fresh: Entry = {
      storageDeleted: false,
      leakTold: false,
      atRiskSince: undefined,
      reclaimingSince: undefined,
      writtenVersion: undefined,
      failures: 0,
      notBefore: -Infinity,
      lastWrite: undefined,
      undone: 0,
    };
    entries.set(uid, fresh);
    return fresh;
  };
  return {
    of: entry,
    peek: (uid) => entries.get(uid),
    failed: (uid) => {
      const memory = entries.get(uid);
      if (memory === undefined) {
        return retry.initial;
      }
      const delay = backoffDelay(memory.failures, retry);
      memory.failures += 1;
      memory.notBefore = clock.now() + delay;
      return delay;
    },
    wait: (uid) => Math.max(0, (entries.get(uid)?.notBefore ?? -Infinity) - clock.now()),
    retryNow: (uid) => {
      const memory = entries.get(uid);
      if (memory !== undefined) {
        memory.notBefore = -Infinity;
        memory.failures = 0;
      }
    },
    mayWrite: (uid, what) => {
      const memory = entry(uid);
      if (memory.undone >= fightLimit) {
        return 'stopped';
      }
      const { lastWrite } = memory;
      const isUndone = lastWrite?.what === what && clock.now() - lastWrite.at < fightWindow;
      memory.undone = isUndone ? memory.undone + 1 : 0;
      return memory.undone >= fightLimit ? 'stop' : 'write';
    },
    wrote: (uid, what, resourceVersion) => {
      const memory = entries.get(uid);
      if (memory !== undefined) {
        memory.lastWrite = { what, at: clock.now() };
        memory.writtenVersion = resourceVersion;
      }
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}
