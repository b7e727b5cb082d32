import { attempt } from './attempt.ts';
import { CelFailure } from './function-table.ts';
import type { Budget } from './budget.ts';

/** Of one evaluation, as k8s.io/apiserver/pkg/apis/cel has it. A step here costs at least one there. */
const perCall = 1_000_000;

const overPerCall = 'operation cancelled: actual cost limit exceeded';

/** All evaluations together took too long: none is worth anything. The text is that of the real server. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export interface EvaluationBudget extends Budget {
  /** Runs one evaluation, which may lie within another. Throws OutOfBudget when there is nothing left for all of them. */
  run<Result>(evaluate: () => Result): Result;
}

/** What the evaluations for one request may cost together. */
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
      // An expression can take a failure for no answer (`... || true`), but not one for want of budget.
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
