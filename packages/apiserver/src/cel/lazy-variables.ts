import { attempt } from './attempt.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';
import type { Expression } from './expression.ts';
import { CelFailure } from './function-table.ts';

/**
 * The variables of a policy for one request. Each is evaluated when it is first read, and at most once.
 *
 * It is a class because the library identifies the type of a value by its class.
 */
export class LazyVariables extends Map<string, unknown> {
  readonly #definitions: ReadonlyMap<string, Expression | CelFailure>;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #budget: EvaluationBudget;

  constructor(
    definitions: ReadonlyMap<string, Expression | CelFailure>,
    values: Readonly<Record<string, unknown>>,
    budget: EvaluationBudget,
  ) {
    super();
    this.#definitions = definitions;
    this.#values = values;
    this.#budget = budget;
  }

  override has(name: string): boolean {
    return this.#definitions.has(name);
  }

  override get(name: string): unknown {
    const definition = this.#definitions.get(name);
    if (definition === undefined) {
      return undefined;
    }
    let result = super.get(name);
    if (result === undefined) {
      result = this.#evaluate(name, definition);
      this.set(name, result);
    }
    if (result instanceof CelFailure) {
      throw result;
    }
    return result;
  }

  #evaluate(name: string, definition: Expression | CelFailure): unknown {
    const named = (problem: string, { message }: CelFailure): CelFailure =>
      new CelFailure(`composited variable ${JSON.stringify(name)} ${problem}: ${message}`);
    if (definition instanceof CelFailure) {
      return named('fails to compile', definition);
    }
    const result = attempt(() => this.#budget.run(() => definition.evaluate(this.#values, this.#budget)));
    return result instanceof CelFailure ? named('fails to evaluate', result) : result;
  }
}
