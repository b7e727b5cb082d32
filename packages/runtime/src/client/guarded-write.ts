import { isNotFound, isOutdated } from './api-error.ts';

/** The result of a guarded write; `T` is what its sender resolves with. */
export type Written<T> =
  /**
   * The API server accepted the write, and returned the object as it should be. In a dry run nothing was
   * stored.
   */
  | { readonly kind: 'written'; readonly object: T }
  /** The API server says that the object does not exist (any more); see {@link isNotFound}. */
  | { readonly kind: 'gone' }
  /**
   * A guard did not hold, or the look was too old or no longer holds. Nothing was written; take a new
   * snapshot and decide again.
   */
  | { readonly kind: 'outdated'; readonly reason: string }
  /**
   * Anything else: the write was refused for good, admission undid it ({@link WriteUndone}), or its result is
   * unknown (no response, aborted).
   */
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * The API server accepted the write, but returned an object that is not as it should be. If nothing of a write
 * is left, nothing is stored and no event comes, so a caller that considered it done would wait forever.
 */
export class WriteUndone extends Error {
  override readonly name = 'WriteUndone';

  constructor() {
    super(
      'the API server took the write, but not what it was to change: look for a mutating admission webhook or policy that undoes it',
    );
  }
}

/**
 * Sends one guarded write, which is a JSON Patch with `test` operations or a delete with preconditions, and
 * classifies the result.
 *
 *     const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, patch, { signal }));
 *     metrics.finalizer('remove', writeOutcome(written));
 *     return resultOfWrite(written);
 *
 * # Guarantees
 * `send` is called once. Nothing is retried here: that is left to the work queue.
 *
 * The result is `outdated` if a new look at the object can help, see {@link isOutdated}: a 409 or 422, or a
 * write that was not sent because its look had grown too old. A 422 of validation or of a policy is `failed`,
 * since it would come again.
 *
 * # Assumptions
 * The write carries its own guards (`guardedPatch` of core; `preconditions` of a delete). Without them a stale
 * decision is written, and nothing here notices.
 *
 * # Errors
 * Never rejects: what `send` throws, including programming errors, is the `error` of `failed`.
 *
 * @param isDone returns whether the returned object is as the write should leave it, since admission might
 *   change it. Default: it is.
 */
export async function guardedWrite<T>(
  send: () => Promise<T>,
  isDone: (object: T) => boolean = () => true,
): Promise<Written<T>> {
  try {
    const object = await send();
    return isDone(object) ? { kind: 'written', object } : { kind: 'failed', error: new WriteUndone() };
  } catch (error) {
    if (isNotFound(error)) {
      return { kind: 'gone' };
    }
    return isOutdated(error) ? { kind: 'outdated', reason: error.message } : { kind: 'failed', error };
  }
}

/** Value of label `result` in metrics that count guarded writes. */
export type WriteOutcome = 'success' | 'gone' | 'conflict' | 'error';

const outcomes = {
  written: 'success',
  gone: 'gone',
  outdated: 'conflict',
  failed: 'error',
} as const satisfies Record<Written<unknown>['kind'], WriteOutcome>;

/** Returns the result of a write as a label value for metrics. */
export function writeOutcome({ kind }: Written<unknown>): WriteOutcome {
  return outcomes[kind];
}
