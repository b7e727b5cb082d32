import type { Written } from '../client/guarded-write.ts';

/** What became of a key. */
export type ReconcileResult =
  /** Nothing more to do until something wakes the key. */
  | { readonly kind: 'done' }
  /** The key's failures are forgotten; look again after this many milliseconds at the latest, of which there is one at least. */
  | { readonly kind: 'requeueAfter'; readonly delay: number }
  /** The object is no longer as it was read (409, 422 of a guard): look again soon, within 30 s whatever has failed before; this is not an error. */
  | { readonly kind: 'lookAgain'; readonly reason: string }
  /**
   * Part of the work failed, and counts as if the error had been thrown: it is tried again with growing delay. The rest is to be looked at after this
   * many milliseconds at the latest, however long that delay has become: the key shares the limit of all retries, ten a second.
   */
  | { readonly kind: 'failed'; readonly error: unknown; readonly delay: number };

/**
 * When to look again at an object that is held up by something which only the API server has, and the cache does not;
 * milliseconds.
 *
 * Something that the cache has yet to see might be gone again before the cache ever has it: then no event comes, and nothing would
 * wake the key. Looking again by time is what keeps such a key from waiting for ever. A cache that works is behind by less
 * than a second, so that five seconds cost a live request or two at most; a cache that has lost its watch, one in five seconds.
 */
export const seenOnlyLiveDelay = 5_000;

/**
 * The result of a reconcile whose last step was this write, for callers that do nothing special: what is written, or gone, is
 * done; an outdated write looks again.
 *
 * @throws the error of a failed write, as it was thrown.
 */
export function resultOfWrite(written: Written<unknown>): ReconcileResult {
  switch (written.kind) {
    case 'written':
    case 'gone':
      return { kind: 'done' };
    case 'outdated':
      return { kind: 'lookAgain', reason: written.reason };
    case 'failed':
      throw written.error;
  }
}
