import type { Clock } from '../time/clock.ts';

/**
 * The objects over which this process and another client fight, each undoing what the other writes. Without a limit,
 * each write would wake the other one, a hundred times a second.
 *
 * No guarantee may depend on it: a process that starts without this memory writes three times before it pauses again.
 * One object's fight delays no other.
 */
export interface Fights {
  /**
   * Decides whether to write this. If three such writes in a row were each undone within the window, the object is
   * left alone for the first pause. If a write after a pause is undone within the window, the next pause is twice as
   * long, up to the longest. A write that lasts for longer ends the fight, and so does a different write.
   *
   * @param key identifies what is fought over: the object's UID, with the field if several are written.
   * @param what identifies the write: the same text for the same write.
   */
  next(key: string, what: string): FightAnswer;
  /** Records a write that succeeded. */
  wrote(key: string, what: string): void;
  /** Call when the object is gone. */
  forget(key: string): void;
}

/** Whether to write, or how long to leave the object alone. */
export type FightAnswer =
  | { readonly kind: 'write' }
  /**
   * `left` is the milliseconds until the next write; `begins` is whether the pause begins with this answer.
   */
  | { readonly kind: 'pause'; readonly left: number; readonly begins: boolean };

/** Options of {@link createFights}. */
export interface FightOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The first pause and the longest one, in milliseconds. */
  readonly pause: { readonly first: number; readonly longest: number };
  /**
   * A write that is undone within this time is part of a fight, in milliseconds. Default: a minute. Where each pause is
   * a danger, give a time in which the API server can bear one write: what is undone less often needs no pause.
   */
  readonly window?: number;
}

interface Wrote {
  readonly what: string;
  readonly at: number;
}

interface Fight {
  readonly what: string;
  /** How many writes in a row another client has undone. */
  undone: number;
  pauses: number;
  pausedUntil: number;
}

const fightLimit = 3;

/** Creates the memory of a controller's fights. */
export function createFights({ clock, pause, window = 60_000 }: FightOptions): Fights {
  /** The last write of each key, unless it is known how long it lasted; in the order of time. */
  const writes = new Map<string, Wrote>();
  const fights = new Map<string, Fight>();

  /** Most objects are written once. What has stood is not kept, or there would be an entry for each of them. */
  const dropStood = (now: number): void => {
    for (const [key, { at }] of writes) {
      if (now - at < window) {
        return;
      }
      writes.delete(key);
      fights.delete(key);
    }
  };

  return {
    next: (key, what) => {
      const now = clock.now();
      dropStood(now);
      if (fights.get(key)?.what !== what) {
        fights.delete(key);
      }
      const last = writes.get(key);
      writes.delete(key);
      const fight = fights.get(key) ?? { what, undone: 0, pauses: 0, pausedUntil: -Infinity };
      if (now < fight.pausedUntil) {
        return { kind: 'pause', left: fight.pausedUntil - now, begins: false };
      }
      if (last?.what !== what) {
        return { kind: 'write' };
      }
      fights.set(key, fight);
      fight.undone += 1;
      if (fight.undone < fightLimit) {
        return { kind: 'write' };
      }
      const left = Math.min(pause.first * 2 ** fight.pauses, pause.longest);
      fight.pauses += 1;
      fight.pausedUntil = now + left;
      return { kind: 'pause', left, begins: true };
    },
    wrote: (key, what) => {
      writes.delete(key);
      writes.set(key, { what, at: clock.now() });
    },
    forget: (key) => {
      writes.delete(key);
      fights.delete(key);
    },
  };
}
