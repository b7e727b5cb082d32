/**
 * The storage volumes of one driver that no PersistentVolume names, and since when.
 *
 * Nothing that must hold rests on it: a process that starts with an empty memory reports an hour later.
 */
export interface UnclaimedStorage {
  /** A list begins. */
  begin(): void;
  /** The driver has listed a volume. @param now of a monotonic clock, milliseconds. */
  listed(handle: string, isNamed: boolean, now: number): void;
  /**
   * The list has ended. What it did not have is forgotten if it was whole.
   *
   * @returns the volumes that are to be reported now, each once; how many are unclaimed for that long; and whether there are more than are
   *   remembered.
   */
  end(isWhole: boolean, now: number): UnclaimedReport;
}

export interface UnclaimedReport {
  readonly news: readonly string[];
  readonly count: number;
  readonly hasMore: boolean;
}

interface Entry {
  readonly since: number;
  list: number;
  isReported: boolean;
}

/** A storage volume is there before its PersistentVolume, and goes after it: it counts when none has named it for this time, milliseconds. */
const unclaimedAfter = 3_600_000;
/** Of a driver as many are remembered at most. */
const remembered = 10_000;
/** CSI: handles are of 128 bytes at most (csi.proto, size limits); some drivers' are longer, but memory is bounded. */
const longestHandle = 1_024;

export function createUnclaimedStorage(): UnclaimedStorage {
  const entries = new Map<string, Entry>();
  let list = 0;
  let hasMore = false;
  return {
    begin: () => {
      list += 1;
      hasMore = false;
    },
    listed: (handle, isNamed, now) => {
      if (isNamed) {
        entries.delete(handle);
        return;
      }
      const entry = entries.get(handle);
      if (entry !== undefined) {
        entry.list = list;
      } else if (entries.size < remembered && handle.length <= longestHandle) {
        entries.set(handle, { since: now, list, isReported: false });
      } else {
        hasMore = true;
      }
    },
    end: (isWhole, now) => {
      const news: string[] = [];
      let count = 0;
      for (const [handle, entry] of entries) {
        if (entry.list !== list) {
          if (isWhole) {
            entries.delete(handle);
          }
          continue;
        }
        if (now - entry.since < unclaimedAfter) {
          continue;
        }
        count += 1;
        if (!entry.isReported) {
          entry.isReported = true;
          news.push(handle);
        }
      }
      return { news, count, hasMore };
    },
  };
}
