/**
 * The storage volumes of one driver that no PersistentVolume names, and since when.
 *
 * No guarantee depends on it: a process that starts without this memory reports an hour later.
 */
export interface UnclaimedStorage {
  /** A list begins. */
  begin(): void;
  /**
   * Records a volume that the driver has listed.
   *
   * @param now of a monotonic clock, in milliseconds.
   */
  listed(handle: string, isNamed: boolean, now: number): void;
  /**
   * Ends the list. If it is complete, volumes that it did not have are forgotten.
   *
   * @returns the volumes to report now, each once; how many have been unclaimed for that long; and whether
   *   there are more than are remembered.
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

/**
 * In milliseconds. A storage volume exists before its PersistentVolume, and is deleted after it, so it only
 * counts if none has named it for this time.
 */
const unclaimedAfter = 3_600_000;
/** How many volumes of a driver are remembered. */
const remembered = 10_000;
/**
 * CSI limits handles to 128 bytes (csi.proto, size limits). Some drivers have longer ones, but memory must be
 * bounded.
 */
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
