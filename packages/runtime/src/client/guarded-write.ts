import { isNotFound, isOutdated } from './api-error.ts';

/** What became of a guarded write; `T` is what its sender resolves with. */
export type Written<T> =
  /** The API server accepted it, and answered with an object as it was to be. In a dry run nothing was stored. */
  | { readonly kind: 'written'; readonly object: T }
  /** The API server says that the object, or its namespace, is not there (any more); see {@link isNotFound}. */
  | { readonly kind: 'gone' }
  /** A guard did not hold, or the look was too old or holds no longer. Nothing was written; take a new snapshot and decide again. */
  | { readonly kind: 'outdated'; readonly reason: string }
  /** Anything else: refused for good, undone by admission ({@link WriteUndone}), or not known to have been done (no answer, aborted). */
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * The API server took the write, and answered with an object that is not as it was to be. Where nothing is left of a write, nothing is stored and no
 * event comes: whoever took it for done would wait for ever.
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
 * Sends one guarded write, and sorts what became of it: a JSON Patch with `test` operations, or a delete with preconditions.
 *
 *     const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, patch, { signal }));
 *     metrics.finalizer('remove', writeOutcome(written));
 *     return resultOfWrite(written);
 *
 * # Guarantees
 * `send` is called once, and nothing is retried here: that is the work queue's business.
 * `outdated` is what a new look at the object can mend, see {@link isOutdated}: a 409 or 422, or a look that had grown too old for the
 * write to be sent. A 422 of validation or of a policy is
 * `failed`: it would come again.
 *
 * # Assumptions
 * The write carries its own guards (`guardedPatch` of core; `preconditions` of a delete): without them a stale decision is
 * written, and nothing here notices.
 *
 * # Errors
 * Never rejects: what `send` throws, programming errors included, is the `error` of `failed`.
 *
 * @param isDone whether the object of the answer is as the write was to leave it, since admission may change it on the way. Default: it is.
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

/** What became of a write, in the words of metrics. */
export function writeOutcome({ kind }: Written<unknown>): WriteOutcome {
  return outcomes[kind];
}
