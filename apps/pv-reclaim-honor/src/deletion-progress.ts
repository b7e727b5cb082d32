import { backoffDelay, type Clock } from '@holdfast/runtime';

/**
 * How far this process has come with deleting each volume's storage, by UID, and when to try again.
 *
 * No guarantee depends on it: a process that starts without this memory asks the storage system once more
 * than needed.
 */
export interface DeletionProgress {
  /** Records that a try to delete begins. */
  begin(uid: string): void;
  /**
   * Records a failed try, unless the volume has been forgotten; returns the time to wait, in milliseconds.
   *
   * @param failure default `refused`.
   */
  failed(uid: string, failure?: Failure): number;
  /**
   * Records that the storage system has confirmed the deletion, unless the volume has been forgotten.
   *
   * @param isSure false if it might have deleted nothing all the same. Default: true.
   */
  confirmed(uid: string, isSure?: boolean): void;
  isConfirmed(uid: string): boolean;
  /** Returns whether it has confirmed the deletion, and has deleted the storage for sure. */
  isSure(uid: string): boolean;
  /** Returns when the first try began, by the clock; undefined if there was none. */
  startedAt(uid: string): number | undefined;
  /**
   * Returns how old a look at the volume can be when the deletion or write based on it begins, in
   * milliseconds. It is 2000, and doubles each consecutive time that this was too little, up to 128000.
   *
   * A look is as old as its first request, and listing thousands of volumes and attachments takes seconds by
   * itself. What was too little for one volume of a keeper counts for its other volumes for a minute: their
   * looks share the slow part, and otherwise each would have to find out by itself.
   *
   * @param keeper name of the driver or plugin; without it only the volume itself counts.
   */
  lookAge(uid: string, keeper?: string): number;
  /** Records that a look at the volume was older than that, unless the volume has been forgotten. */
  lookTooOld(uid: string): void;
  /** Records that a write was in time, which ends the row of looks that were too old. */
  lookInTime(uid: string): void;
  /** Returns the time to wait until the next try is due, in milliseconds; 0 if it is due now. */
  wait(uid: string): number;
  /** Makes the next try due now, whatever failed before. */
  retryNow(uid: string): void;
  /** Records that the driver is no longer connected. */
  driverIsAway(uid: string): void;
  /**
   * Makes the next try due now when the driver is connected again. If it was lost over this volume, what was left
   * of the wait when it went away begins instead: if deleting the volume is what ends the driver, it would be
   * asked for it again at each start, and never delete another volume. Kubelet takes longer than the wait to start
   * the driver.
   */
  driverIsBack(uid: string): void;
  forget(uid: string): void;
}

/**
 * How a try failed: the driver or plugin answered so, or something else went wrong; the driver was not there
 * to be asked; or it was lost during the deletion.
 */
export type Failure = 'refused' | 'driverAway' | 'driverLost';

interface Entry {
  /** Undefined if the volume was only looked at. */
  startedAt: number | undefined;
  isConfirmed: boolean;
  isSure: boolean;
  failures: number;
  notBefore: number;
  /** Whether the driver was lost the last time that it was asked to delete the volume. */
  driverLost: boolean;
  /** The time to wait when the driver is back, in milliseconds. */
  waitWhenBack: number;
  looksTooOld: number;
  /** The number of looks that were too old from which the last age was calculated. */
  row: number;
  keeper: string | undefined;
}

/** What is known from looks at a keeper's volumes. */
interface SlowLooks {
  /** The longest row of looks at one volume that were too old. */
  readonly row: number;
  readonly until: number;
}

const lookAge = { initial: 2_000, max: 128_000 };

/**
 * How long looks at a keeper's volumes count as slow after the last one that was too old, in milliseconds.
 */
const slowFor = 60_000;

/** Delay between two tries to delete a volume on its storage, in milliseconds. */
const retry = { initial: 1_000, max: 300_000 };

/**
 * The same if the driver was lost: between half and all of it, at random. Otherwise the volumes that were
 * deleted at once would always be deleted at once, among them the one that ends the driver.
 */
const spreadRetry = { initial: retry.initial / 2, max: retry.max / 2, jitter: 1 };

export function createDeletionProgress(clock: Clock): DeletionProgress {
  const entries = new Map<string, Entry>();
  const slow = new Map<string, SlowLooks>();
  const slowRow = (keeper: string | undefined): number => {
    const known = keeper === undefined ? undefined : slow.get(keeper);
    return known !== undefined && clock.now() < known.until ? known.row : 0;
  };
  const entryOf = (uid: string): Entry => {
    const entry = entries.get(uid) ?? {
      startedAt: undefined,
      isConfirmed: false,
      isSure: false,
      failures: 0,
      notBefore: -Infinity,
      driverLost: false,
      waitWhenBack: 0,
      looksTooOld: 0,
      row: 0,
      keeper: undefined,
    };
    entries.set(uid, entry);
    return entry;
  };
  const wait = (uid: string): number => Math.max(0, (entries.get(uid)?.notBefore ?? -Infinity) - clock.now());
  const retryNow = (uid: string): void => {
    const entry = entries.get(uid);
    if (entry !== undefined) {
      entry.notBefore = -Infinity;
      entry.waitWhenBack = 0;
      entry.failures = 0;
    }
  };
  return {
    begin: (uid) => {
      entryOf(uid).startedAt ??= clock.now();
    },
    failed: (uid, failure = 'refused') => {
      const entry = entries.get(uid);
      if (entry === undefined) {
        return retry.initial;
      }
      if (failure !== 'driverAway') {
        entry.driverLost = failure === 'driverLost';
      }
      const delay = backoffDelay(entry.failures, entry.driverLost ? spreadRetry : retry);
      entry.looksTooOld = 0;
      entry.failures += 1;
      entry.notBefore = clock.now() + delay;
      // The driver might be away already: calls under way end later.
      entry.waitWhenBack = delay;
      return delay;
    },
    confirmed: (uid, isSure = true) => {
      const entry = entries.get(uid);
      if (entry !== undefined) {
        entry.isConfirmed = true;
        entry.isSure = isSure;
      }
    },
    isConfirmed: (uid) => entries.get(uid)?.isConfirmed ?? false,
    isSure: (uid) => entries.get(uid)?.isSure ?? false,
    startedAt: (uid) => entries.get(uid)?.startedAt,
    lookAge: (uid, keeper) => {
      const entry = entryOf(uid);
      entry.keeper = keeper;
      entry.row = Math.max(entry.looksTooOld, slowRow(keeper));
      return Math.min(lookAge.initial * 2 ** entry.row, lookAge.max);
    },
    lookTooOld: (uid) => {
      const entry = entries.get(uid);
      if (entry === undefined) {
        return;
      }
      entry.looksTooOld = entry.row + 1;
      if (entry.keeper !== undefined) {
        const row = Math.max(entry.looksTooOld, slowRow(entry.keeper));
        slow.set(entry.keeper, { row, until: clock.now() + slowFor });
      }
    },
    lookInTime: (uid) => {
      const entry = entries.get(uid);
      if (entry !== undefined) {
        entry.looksTooOld = 0;
      }
    },
    wait,
    retryNow,
    driverIsAway: (uid) => {
      const entry = entries.get(uid);
      if (entry !== undefined) {
        entry.waitWhenBack = wait(uid);
      }
    },
    driverIsBack: (uid) => {
      const entry = entries.get(uid);
      if (entry?.driverLost !== true) {
        retryNow(uid);
      } else {
        entry.notBefore = clock.now() + entry.waitWhenBack;
      }
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}
