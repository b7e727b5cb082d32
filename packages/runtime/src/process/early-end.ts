import type { Written } from '../client/guarded-write.ts';
import { resultOfWrite, type ReconcileResult } from '../controller/reconcile-result.ts';

/**
 * Thrown by the functions of an {@link ObjectContext} if there is no point in continuing, because the object
 * is gone or no longer as it was read. It is not a failure. Do not catch it: {@link objectController} turns
 * it into a result.
 */
export class EarlyEnd extends Error {
  override readonly name = 'EarlyEnd';
  readonly result: ReconcileResult;

  constructor(result: ReconcileResult) {
    super(result.kind === 'lookAgain' ? result.reason : 'the object is gone');
    this.result = result;
  }
}

/**
 * Returns the written object.
 *
 * @throws EarlyEnd if the object is gone or was outdated; the error of a failed write, as it was thrown.
 */
export function writtenOrEnd<T>(written: Written<T>): T {
  if (written.kind === 'written') {
    return written.object;
  }
  throw new EarlyEnd(resultOfWrite(written));
}

/** @throws EarlyEnd */
export function lookAgain(reason: string): never {
  throw new EarlyEnd({ kind: 'lookAgain', reason });
}
