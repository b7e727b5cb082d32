/** Counts what an evaluation does. */
export interface Budget {
  /** Throws a CelFailure when there is nothing left. @param count of steps, default 1; 0 asks whether there is something left. */
  spend(count?: number): void;
}
