import type { Written } from '../client/guarded-write.ts';

/**
 * The result of a reconcile. A delay that is NaN is an error: it comes from a time that could not be parsed. So is
 * whatever else plain JavaScript returns that is none of these.
 */
export type ReconcileResult =
  /** There is nothing more to do until an event wakes the key. */
  | { readonly kind: 'done' }
  /**
   * Resets the key's failures, and looks again after at most this many milliseconds, with a minimum of 1. If 0 or
   * less is asked for again and again, the key is looked at ever less often, down to once a second.
   *
   * With `behind`, keys that something has woken go first then, in seven of eight turns. Use it for work that takes
   * long and has failed before: where thousands of such keys come back again and again, one that is new would wait
   * behind all of them.
   */
  | { readonly kind: 'requeueAfter'; readonly delay: number; readonly behind?: boolean }
  /**
   * The object is no longer as it was read (409, or 422 of a guard). Look again soon, within 30 s whatever
   * failed before; this is not an error.
   */
  | { readonly kind: 'lookAgain'; readonly reason: string }
  /**
   * Part of the work failed. It counts as if the error had been thrown, and is retried with a growing delay.
   * The rest is looked at again after at most this many milliseconds, however long that delay has become; the
   * key still shares the limit of all retries, ten a second.
   */
  | { readonly kind: 'failed'; readonly error: unknown; readonly delay: number };

/** @throws Error for what the types do not allow, and for a delay of NaN: it would be over at once, each time. */
export function checkResult(key: string, result: unknown): void {
  const { kind, delay, error } = (result ?? {}) as {
    readonly [Field in 'kind' | 'delay' | 'error']?: unknown;
  };
  const isDelay = typeof delay === 'number' && !Number.isNaN(delay);
  if (
    kind === 'done' ||
    kind === 'lookAgain' ||
    ((kind === 'requeueAfter' || kind === 'failed') && isDelay)
  ) {
    return;
  }
  const problem =
    kind === 'requeueAfter' || kind === 'failed'
      ? `asks for a delay of ${typeof delay === 'string' ? `"${delay}"` : String(delay)}; give milliseconds`
      : `returned a result of kind ${String(kind)}; give done, requeueAfter, lookAgain or failed`;
  throw new Error(`the reconcile of "${key}" ${problem}`, error === undefined ? {} : { cause: error });
}

/**
 * When to look again at an object that is held up by something that only the API server has and the cache
 * does not, in milliseconds.
 *
 * Something that the cache has yet to see might be gone before the cache ever has it. Then no event comes,
 * and nothing would wake the key. Looking again after this time keeps such a key from waiting forever. A
 * working cache is behind by less than a second, so this costs one or two live requests at most; with a cache
 * that has lost its watch, one in five seconds.
 */
export const seenOnlyLiveDelay = 5_000;

/**
 * Converts the result of a write to that of the reconcile, if the write was its last step: written and gone
 * are done; an outdated write looks again.
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
