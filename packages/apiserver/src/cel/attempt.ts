import { CelFailure } from './function-table.ts';

/**
 * Returns the result, or the CelFailure that was thrown because an expression is wrong or its evaluation
 * failed. Throws all other errors.
 */
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
