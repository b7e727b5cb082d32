/** The parts of `npm run test:strangers`. */
export const parts = ['controller-runtime', 'api-tests', 'kubectl', 'helm'] as const;
export type Part = (typeof parts)[number];

/** The result of a part, or of one of its suites. */
export interface PartResult {
  readonly passed: number;
  /** What is wrong, one or more lines for each failure. */
  readonly failures: readonly string[];
  /** What else is worth reporting, one line each. */
  readonly notes: readonly string[];
}
