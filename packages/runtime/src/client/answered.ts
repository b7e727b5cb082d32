import { guardedWrite, type Written } from './guarded-write.ts';

/**
 * What the API server answers to a write when nothing is wrong with the write itself: a {@link Written} that has not failed, so that `writeOutcome` and
 * `resultOfWrite` take it.
 */
export type Answered<T> = Exclude<Written<T>, { readonly kind: 'failed' }>;

/** @throws what `send` throws, unless it says that the object is gone, or is no longer as it was read. */
export async function answerOf<T>(send: () => Promise<T>): Promise<Answered<T>> {
  const written = await guardedWrite(send);
  if (written.kind === 'failed') {
    throw written.error;
  }
  return written;
}
