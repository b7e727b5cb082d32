/**
 * How a run went.
 *
 * - `held`: every state was safe, and each step came to the end expected.
 * - `unsafe`: a state of the server broke an invariant.
 * - `stuck`: the world did not come to rest, or not to the end expected.
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
