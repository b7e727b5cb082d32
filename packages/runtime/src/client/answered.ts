import { guardedWrite, type Written } from './guarded-write.ts';

/**
 * The API server's answer to a write that is not at fault itself: a {@link Written} that did not fail.
 * `writeOutcome` and `resultOfWrite` accept it.
 */
export type Answered<T> = Exclude<Written<T>, { readonly kind: 'failed' }>;

/** @throws what `send` throws, unless the error says that the object is gone or no longer as it was read. */
export async function answerOf<T>(send: () => Promise<T>): Promise<Answered<T>> {
  const written = await guardedWrite(send);
  if (written.kind === 'failed') {
    throw written.error;
  }
  return written;
}
