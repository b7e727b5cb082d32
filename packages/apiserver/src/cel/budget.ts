/** Counts the steps of an evaluation. */
export interface Budget {
  /**
   * Throws a CelFailure when no budget is left.
   *
   * @param count of steps, default 1; 0 only checks whether budget is left
   */
  spend(count?: number): void;
}
