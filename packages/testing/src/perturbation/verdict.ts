/**
 * How a run ended.
 *
 * - `held`: every state was safe, and each step reached its expected end.
 * - `unsafe`: a state of the server violated an invariant.
 * - `stuck`: the world did not come to rest, or not at the expected end.
 * - `broken`: the scenario could not be played.
 */
export type Outcome = 'held' | 'unsafe' | 'stuck' | 'broken';

/** Ends a run that did not hold. */
export class Verdict extends Error {
  override readonly name = 'Verdict';
  readonly outcome: Exclude<Outcome, 'held'>;

  constructor(outcome: Exclude<Outcome, 'held'>, problem: string) {
    super(problem);
    this.outcome = outcome;
  }
}
