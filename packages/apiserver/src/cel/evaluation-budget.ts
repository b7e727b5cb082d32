import { attempt } from './attempt.ts';
import { CelFailure } from './function-table.ts';
import type { Budget } from './budget.ts';

/**
 * The limit of one evaluation, from k8s.io/apiserver/pkg/apis/cel. A step here costs at least one unit on the
 * real server.
 */
const perCall = 1_000_000;

const overPerCall = 'operation cancelled: actual cost limit exceeded';

/**
 * All evaluations of a request together cost too much, so none of their results counts. The text is the real
 * server's.
 */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export interface EvaluationBudget extends Budget {
  /**
   * Runs one evaluation, which may be nested in another. Throws OutOfBudget when the evaluations together
   * have spent the total.
   */
  run<Result>(evaluate: () => Result): Result;
}

/** Creates the budget that the evaluations of one request share. */
export function createBudget(total: number): EvaluationBudget {
  let left = total;
  let steps = 0;
  return {
    spend(count = 1) {
      steps += count;
      if (steps > perCall) {
        throw new CelFailure(overPerCall);
      }
    },
    run(evaluate) {
      const outer = steps;
      steps = 0;
      // An expression can absorb a failure (`... || true`), but must not absorb a spent budget.
      const result = attempt(() => {
        const given = evaluate();
        this.spend(0);
        return given;
      });
      left -= steps;
      steps = outer;
      if (left < 0) {
        throw new OutOfBudget();
      }
      if (result instanceof CelFailure) {
        throw result;
      }
      return result;
    },
  };
}
