import type { Clock } from '@holdfast/runtime';

/**
 * The volumes over whose finalizers this process and another client fight, each undoing what the other
 * writes.
 *
 * No guarantee depends on it: a process that starts without this memory writes three times before it pauses
 * again.
 */
export interface Fights {
  /**
   * Decides whether to write this. If three such writes in a row were each undone within a minute, the volume
   * is left alone for a minute. If a write after a pause is undone within a minute, the next pause is twice
   * as long, up to an hour. A write that lasts for a minute ends the fight, and so does a different write.
   *
   * @param what identifies the write: the same text for the same write.
   */
  next(uid: string, what: string): FightAnswer;
  /** Records a write that succeeded, unless the volume has been forgotten. */
  wrote(uid: string, what: string): void;
  forget(uid: string): void;
}

export type FightAnswer =
  | { readonly kind: 'write' }
  /**
   * `left` is the milliseconds until the next write; `begins` is whether the pause begins with this answer.
   */
  | { readonly kind: 'pause'; readonly left: number; readonly begins: boolean };

interface Entry {
  readonly what: string;
  /** When it was last written; undefined once it is known whether that write lasted. */
  writtenAt: number | undefined;
  /** How many writes in a row another client has undone. */
  undone: number;
  pauses: number;
  pausedUntil: number;
}

/** A write that another client undoes within this time is part of a fight, in milliseconds. */
const fightWindow = 60_000;
const fightLimit = 3;
/** In milliseconds. */
const pause = { first: 60_000, longest: 3_600_000 };

export function createFights(clock: Clock): Fights {
  const entries = new Map<string, Entry>();

  return {
    next: (uid, what) => {
      const before = entries.get(uid);
      if (before?.what !== what) {
        entries.set(uid, { what, writtenAt: undefined, undone: 0, pauses: 0, pausedUntil: -Infinity });
        return { kind: 'write' };
      }
      const now = clock.now();
      if (now < before.pausedUntil) {
        return { kind: 'pause', left: before.pausedUntil - now, begins: false };
      }
      if (before.writtenAt === undefined) {
        return { kind: 'write' };
      }
      const hasStood = now - before.writtenAt >= fightWindow;
      before.writtenAt = undefined;
      before.undone = hasStood ? 0 : before.undone + 1;
      before.pauses = hasStood ? 0 : before.pauses;
      if (before.undone < fightLimit) {
        return { kind: 'write' };
      }
      const left = Math.min(pause.first * 2 ** before.pauses, pause.longest);
      before.pauses += 1;
      before.pausedUntil = now + left;
      return { kind: 'pause', left, begins: true };
    },
    wrote: (uid, what) => {
      const entry = entries.get(uid);
      if (entry?.what === what) {
        entry.writtenAt = clock.now();
      }
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}
