import type { Clock } from '@holdfast/runtime';

/**
 * The volumes over whose finalizers this process fights with another client: each undoes what the other writes.
 *
 * Nothing that must hold rests on it: a process that starts with an empty memory writes three times before it pauses again.
 */
export interface Fights {
  /**
   * Asks whether to write this. When the third of three such writes in a row has been undone, each within a minute, the volume is left
   * alone for a minute; a write after a pause that is undone within a minute brings a pause of twice the time, an hour at the most. A write
   * that has stood for a minute ends the fight, and so does another write.
   *
   * @param what the same text for the same write.
   */
  next(uid: string, what: string): FightAnswer;
  /** Records a write that succeeded, unless the volume is forgotten by now. */
  wrote(uid: string, what: string): void;
  forget(uid: string): void;
}

export type FightAnswer =
  | { readonly kind: 'write' }
  /** `left`: milliseconds until it may be written again. `begins`: the pause begins with this answer. */
  | { readonly kind: 'pause'; readonly left: number; readonly begins: boolean };

interface Entry {
  readonly what: string;
  /** When it was last written, until it is known what became of that. */
  writtenAt: number | undefined;
  /** Writes in a row that another has undone. */
  undone: number;
  pauses: number;
  pausedUntil: number;
}

/** A write that another undoes within this time is part of a fight, milliseconds. */
const fightWindow = 60_000;
const fightLimit = 3;
/** Milliseconds. */
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
