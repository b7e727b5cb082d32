import type { PersistentVolumeClaim } from '@holdfast/core';
import { backoffDelay, type Clock } from '@holdfast/runtime';

/** The first delay, doubled with each refusal in a row, and the longest, milliseconds: four tries in the first minute. */
const backoff = { initial: 5_000, max: 300_000 };

/**
 * Which claims can be tried, and when, after the API server refused. The work queue's back-off would not do, since events wake a
 * claim before its time: a refused claim that is changed again and again must not be tried again and again.
 *
 * Nothing is kept for claims that were not refused, nor (`forget`) for those that no longer wait.
 */
export interface HoldOff {
  /** Milliseconds until the claim is to be tried with the class; 0: now. */
  wait(claim: PersistentVolumeClaim, className: string): number;
  /**
   * Must be called before a try. While the server forbids all claims, the first try that comes due is for all: the others wait
   * for its outcome.
   *
   * @returns the round of tries that it belongs to, for {@link HoldOff.forbidden}.
   */
  trying(): number;
  /** The server refused this class to this claim; another class can be tried at once. @returns milliseconds until the next try. */
  refused(claim: PersistentVolumeClaim, className: string): number;
  /**
   * The server gives no claim a class. Several tries of one round that end like this count as one refusal.
   *
   * @returns milliseconds until the next try of any claim.
   */
  forbidden(words: string, round: number): number;
  /** The server took a patch. @returns whether all claims were forbidden until now, so that those that wait can be woken. */
  accepted(): boolean;
  /** The server's words when it forbids all claims, once for each claim; undefined: it does not, or they were returned before. */
  news(claim: PersistentVolumeClaim): string | undefined;
  forget(claim: PersistentVolumeClaim): void;
}

interface Delay {
  readonly refusals: number;
  /** By the clock. */
  readonly until: number;
}

export function createHoldOff(clock: Clock): HoldOff {
  const claims = new Map<string, Delay & { readonly className: string }>();
  let server: (Delay & { readonly words: string; readonly seen: Set<string> }) | undefined;

  const after = (refusals: number): Delay => ({
    refusals: refusals + 1,
    until: clock.now() + backoffDelay(refusals, backoff),
  });
  const remaining = (delay: Delay | undefined): number =>
    delay === undefined ? 0 : Math.max(0, delay.until - clock.now());

  return {
    wait: ({ metadata }, className) => {
      const own = claims.get(metadata.uid);
      return Math.max(own?.className === className ? remaining(own) : 0, remaining(server));
    },
    trying: () => {
      if (server !== undefined) {
        server = { ...server, until: clock.now() + backoffDelay(server.refusals, backoff) };
      }
      return server?.refusals ?? 0;
    },
    refused: ({ metadata }, className) => {
      const before = claims.get(metadata.uid);
      const next = after(before?.className === className ? before.refusals : 0);
      claims.set(metadata.uid, { ...next, className });
      return remaining(next);
    },
    forbidden: (words, round) => {
      if (server === undefined || server.refusals === round) {
        server = { ...after(round), words, seen: server?.seen ?? new Set() };
      }
      return remaining(server);
    },
    accepted: () => {
      const wasForbidden = server !== undefined;
      server = undefined;
      return wasForbidden;
    },
    news: ({ metadata }) => {
      if (server === undefined || server.seen.has(metadata.uid)) {
        return undefined;
      }
      server.seen.add(metadata.uid);
      return server.words;
    },
    forget: ({ metadata }) => {
      claims.delete(metadata.uid);
      server?.seen.delete(metadata.uid);
    },
  };
}
