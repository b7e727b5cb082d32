import { CelFailure } from './function-table.ts';

/** The result, or the failure where an expression is wrong or its evaluation fails. Throws all other errors. */
export function attempt<Result>(act: () => Result): Result | CelFailure {
  try {
    return act();
  } catch (error) {
    if (error instanceof CelFailure) {
      return error;
    }
    throw error;
  }
}
