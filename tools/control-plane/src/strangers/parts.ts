/** What `npm run test:strangers` is made of. */
export const parts = ['controller-runtime', 'api-tests', 'kubectl', 'helm'] as const;
export type Part = (typeof parts)[number];

/** What came of a part, or of one suite of it. */
export interface PartResult {
  readonly passed: number;
  /** What is wrong, a line or more for each. */
  readonly failures: readonly string[];
  /** What is worth saying besides, a line each. */
  readonly notes: readonly string[];
}
