import type { ReconcileOptions } from '../src/reconcile.ts';

/** A part of a reconcile that a test does not expect to be called. */
export const unexpected = (): never => {
  throw new Error('not expected');
};

/** Parts of a reconcile that has nothing to say, where no stock controller was seen. */
export const silent: Pick<ReconcileOptions, 'notices' | 'stock'> = {
  notices: {
    hasNews: () => false,
    kept: unexpected,
    warned: unexpected,
    willBeDeleted: unexpected,
    willGoWithWorkload: unexpected,
    left: unexpected,
    forget: unexpected,
  },
  stock: {
    known: 'absent',
    isSuspected: false,
    leftOf: () => undefined,
    sawItAtWork: unexpected,
    sawItLeaveUndone: unexpected,
    leave: unexpected,
    forget: () => undefined,
  },
};
