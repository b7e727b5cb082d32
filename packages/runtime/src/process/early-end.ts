import type { Written } from '../client/guarded-write.ts';
import { resultOfWrite, type ReconcileResult } from '../controller/reconcile-result.ts';

/**
 * Thrown by the functions of an {@link ObjectContext} when there is no point in going on: the object is gone, or is no longer as it was read. It is no
 * failure, and {@link objectController} makes a result of it: let it pass.
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
 * What was written.
 *
 * @throws EarlyEnd when the object is gone, or was outdated; the error of a failed write, as it was thrown.
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
