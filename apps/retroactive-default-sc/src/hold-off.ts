import type { PersistentVolumeClaim } from '@holdfast/core';
import { backoffDelay, type Clock } from '@holdfast/runtime';

/**
 * For one claim: the first delay, which doubles with each consecutive refusal, and the longest, in
 * milliseconds. That makes four tries in the first minute.
 */
const ofClaim = { initial: 5_000, max: 300_000 };
/**
 * For claims that share a hold. The longest delay is shorter: one try a minute costs the server nothing, and
 * a claim that it would accept must not wait for long behind those that it refuses.
 */
const ofHold = { initial: 5_000, max: 60_000 };
/**
 * How many claims of a namespace, or how many namespaces, have to be refused alike before the others are
 * held.
 */
const several = 2;
/**
 * While claims are held, one that was already refused waits this much longer for each of its refusals, up to
 * the limit, in milliseconds.
 */
const behind = { each: 1_000, max: 10_000 };

/**
 * Decides which claims can be tried, and when, after the API server refused. The work queue's back-off would
 * not do, since events wake a claim before its time: a refused claim that keeps changing must not be tried
 * again and again.
 *
 * A refusal in the words of a server that forbids all (`forbidden`) can concern one claim only: if a mutating
 * webhook changes more of the spec, the server answers the same. So the refusal of one claim holds up no
 * other:
 *
 * | refused alike                      | held                        |
 * |------------------------------------|-----------------------------|
 * | one claim                          | that claim                  |
 * | two claims of a namespace          | the claims of the namespace |
 * | claims of two namespaces           | all claims                  |
 *
 * When a hold's delay is over, one of the held claims is tried for all: one that was not refused before, else
 * the one that was refused least often. A claim that is accepted ends the hold of all claims and that of its
 * namespace. Earlier refusals then no longer count for a hold, since the server is known to accept others.
 *
 * Nothing is stored for claims that were not refused, nor (`forget`) for those that no longer wait.
 */
export interface HoldOff {
  /** Returns the milliseconds until the claim should be tried with the class; 0 means now. */
  wait(claim: PersistentVolumeClaim, className: string): number;
  /**
   * Must be called before a try. If the claim is held with others, it is tried for all of them, and they wait
   * for the result.
   *
   * @returns the round of tries that it belongs to, for {@link HoldOff.forbidden}.
   */
  trying(claim: PersistentVolumeClaim): number;
  /**
   * Records that the server refused this class for this claim; another class can be tried at once.
   *
   * @returns the milliseconds until the next try.
   */
  refused(claim: PersistentVolumeClaim, className: string): number;
  /**
   * Records that the server refused with the words of one that gives no claim a class. Several such refusals
   * in one round count as one refusal of the held claims.
   *
   * @returns the milliseconds until the next try of the claim.
   */
  forbidden(claim: PersistentVolumeClaim, className: string, words: string, round: number): number;
  /**
   * Records that the server accepted a patch.
   *
   * @returns whether claims were held with others until now, so that the waiting claims can be woken.
   */
  accepted(claim: PersistentVolumeClaim): boolean;
  /** Returns whether the claim is held together with others. */
  isHeld(claim: PersistentVolumeClaim): boolean;
  /**
   * Returns the server's words about the claims held with this one, once for each claim; undefined if none
   * are held, or the words were returned before.
   */
  news(claim: PersistentVolumeClaim): string | undefined;
  forget(claim: PersistentVolumeClaim): void;
}

interface Delay {
  readonly refusals: number;
  /** By the clock. */
  readonly until: number;
}

interface Refused extends Delay {
  readonly className: string;
  /** Whether it was refused in the words of a server that forbids all. */
  readonly alike: boolean;
}

interface Hold extends Delay {
  readonly words: string;
  readonly seen: Set<string>;
}

/** The refusals of a namespace in which claims were refused alike. */
interface Refusals {
  /**
   * UIDs of the claims, without those that were refused before another claim of the namespace was accepted.
   */
  readonly claims: Set<string>;
  /** Claims of other namespaces were accepted since, so these refusals say nothing about them. */
  isAlone: boolean;
  hold: Hold | undefined;
}

export function createHoldOff(clock: Clock): HoldOff {
  const claims = new Map<string, Refused>();
  /**
   * Claims that were refused before another claim of their namespace was accepted: their refusals say nothing
   * about others.
   */
  const odd = new Set<string>();
  const namespaces = new Map<string, Refusals>();
  let server: Hold | undefined;

  const after = (refusals: number, backoff: typeof ofClaim): Delay => ({
    refusals: refusals + 1,
    until: clock.now() + backoffDelay(refusals, backoff),
  });
  const remaining = (until: number): number => Math.max(0, until - clock.now());
  const namespaceOf = ({ metadata }: PersistentVolumeClaim): string => metadata.namespace ?? '';
  const holdOf = (claim: PersistentVolumeClaim): Hold | undefined =>
    server ?? (odd.has(claim.metadata.uid) ? undefined : namespaces.get(namespaceOf(claim))?.hold);

  const setHold = (claim: PersistentVolumeClaim, hold: Hold): void => {
    const refusals = namespaces.get(namespaceOf(claim));
    if (server !== undefined) {
      server = hold;
    } else if (refusals !== undefined) {
      refusals.hold = hold;
    }
  };

  const note = (claim: PersistentVolumeClaim, className: string, alike: boolean): Refused => {
    const { uid } = claim.metadata;
    const before = claims.get(uid);
    const next = {
      ...after(before?.className === className ? before.refusals : 0, ofClaim),
      className,
      alike,
    };
    claims.set(uid, next);
    return next;
  };

  const wait = (claim: PersistentVolumeClaim, className: string): number => {
    const own = claims.get(claim.metadata.uid);
    const hold = holdOf(claim);
    if (hold !== undefined && (own === undefined || own.alike)) {
      const extra = Math.min(behind.max, behind.each * (own?.refusals ?? 0));
      return remaining(hold.until + extra);
    }
    return Math.max(
      own?.className === className ? remaining(own.until) : 0,
      hold === undefined ? 0 : remaining(hold.until),
    );
  };

  return {
    wait,
    trying: (claim) => {
      const hold = holdOf(claim);
      if (hold !== undefined) {
        setHold(claim, { ...hold, until: clock.now() + backoffDelay(hold.refusals, ofHold) });
      }
      return hold?.refusals ?? 0;
    },
    refused: (claim, className) => remaining(note(claim, className, false).until),
    forbidden: (claim, className, words, round) => {
      note(claim, className, true);
      const { uid } = claim.metadata;
      if (odd.has(uid)) {
        return wait(claim, className);
      }
      const namespace = namespaceOf(claim);
      const refusals = namespaces.get(namespace) ?? { claims: new Set(), isAlone: false, hold: undefined };
      namespaces.set(namespace, refusals);
      refusals.claims.add(uid);
      const first = (): Hold => ({ ...after(0, ofHold), words, seen: new Set() });
      const agree = [...namespaces.values()].filter(({ isAlone }) => !isAlone).length;
      const hold = server ?? refusals.hold;
      if (server === undefined && agree >= several) {
        server = first();
      } else if (hold === undefined) {
        refusals.hold = refusals.claims.size >= several ? first() : undefined;
      } else if (hold.refusals === round) {
        setHold(claim, { ...hold, ...after(round, ofHold), words });
      }
      return wait(claim, className);
    },
    accepted: (claim) => {
      const namespace = namespaceOf(claim);
      const own = namespaces.get(namespace);
      const wereHeld = server !== undefined || own?.hold !== undefined;
      // Claims that were held have not been judged individually, so they can be tried at once.
      const release = (uid: string): void => {
        const refused = claims.get(uid);
        if (wereHeld && refused !== undefined) {
          claims.set(uid, { ...refused, until: clock.now() });
        }
      };
      for (const uid of own?.claims ?? []) {
        odd.add(uid);
        release(uid);
      }
      namespaces.delete(namespace);
      for (const others of namespaces.values()) {
        others.isAlone = true;
        if (server !== undefined) {
          others.claims.forEach(release);
          others.claims.clear();
          others.hold = undefined;
        }
      }
      server = undefined;
      return wereHeld;
    },
    isHeld: (claim) => holdOf(claim) !== undefined,
    news: (claim) => {
      const hold = holdOf(claim);
      const { uid } = claim.metadata;
      if (hold === undefined || hold.seen.has(uid)) {
        return undefined;
      }
      hold.seen.add(uid);
      return hold.words;
    },
    forget: (claim) => {
      const { uid } = claim.metadata;
      claims.delete(uid);
      odd.delete(uid);
      server?.seen.delete(uid);
      const namespace = namespaceOf(claim);
      const refusals = namespaces.get(namespace);
      if (refusals !== undefined) {
        refusals.claims.delete(uid);
        refusals.hold?.seen.delete(uid);
        if (refusals.claims.size === 0) {
          namespaces.delete(namespace);
        }
      }
    },
  };
}
