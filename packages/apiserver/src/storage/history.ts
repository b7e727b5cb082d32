/** The changes of one keyspace that are kept, oldest first. */
export interface History<Change> {
  /** The number of changes that are kept. */
  readonly length: number;
  /** Roughly how many bytes of memory they take. */
  readonly bytes: number;
  /** The revision of the newest change; 0 if there never was one or all were dropped. */
  readonly latest: number;
  /** Changes up to this revision were dropped. */
  readonly forgotten: number;
  /**
   * Adds a change.
   *
   * @param now when it happens, milliseconds since 1970
   * @param bytes how much memory it takes
   */
  add(change: Change, now: number, bytes: number): void;
  /** Returns the changes after a revision. */
  since(revision: number): readonly Change[];
  /** Returns the changes after a revision, newest first. */
  backTo(revision: number): Iterable<Change>;
  /**
   * Drops the oldest changes that are older than the time (milliseconds since 1970), but keeps at least
   * `least` changes.
   */
  forgetBefore(time: number, least: number): void;
  /** Drops the oldest changes. */
  forgetOldest(count: number): void;
  /**
   * Drops all changes.
   *
   * @param revision up to which nothing is known any more
   */
  clear(revision: number): void;
}

interface Kept<Change> {
  readonly change: Change;
  readonly at: number;
  readonly bytes: number;
}

/** @param forgotten see `History`. */
export function createHistory<Change extends { readonly revision: number }>(
  forgotten: number,
): History<Change> {
  let kept: Kept<Change>[] = [];
  // The items before this index are dropped. They stay in the array until they make up half of it, because
  // removing them moves all others.
  let first = 0;
  let bytes = 0;

  function forgetOldest(count: number): void {
    for (let left = count; left > 0 && first < kept.length; left--) {
      const oldest = kept[first];
      first += 1;
      bytes -= oldest?.bytes ?? 0;
      forgotten = oldest?.change.revision ?? forgotten;
    }
    if (first * 2 > kept.length) {
      kept = kept.slice(first);
      first = 0;
    }
  }

  /** The index of the first change after a revision. */
  function indexAfter(revision: number): number {
    let low = first;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.change.revision ?? 0) <= revision) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  return {
    get length() {
      return kept.length - first;
    },
    get bytes() {
      return bytes;
    },
    get latest() {
      return kept.at(-1)?.change.revision ?? 0;
    },
    get forgotten() {
      return forgotten;
    },
    add(change, now, size) {
      kept.push({ change, at: now, bytes: size });
      bytes += size;
    },
    since: (revision) => kept.slice(indexAfter(revision)).map(({ change }) => change),
    *backTo(revision) {
      for (let index = kept.length - 1; index >= first; index--) {
        const change = kept[index]?.change;
        if (change === undefined || change.revision <= revision) {
          return;
        }
        yield change;
      }
    },
    forgetBefore(time, least) {
      let count = 0;
      const most = kept.length - first - least;
      while (count < most && (kept[first + count]?.at ?? time) < time) {
        count += 1;
      }
      if (count > 0) {
        forgetOldest(count);
      }
    },
    forgetOldest,
    clear(revision) {
      kept = [];
      first = 0;
      bytes = 0;
      forgotten = revision;
    },
  };
}
