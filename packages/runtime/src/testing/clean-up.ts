/** Steps to take at the end, in reverse order. All are taken, even if some fail. */
export interface CleanUp {
  add(step: () => Promise<unknown>): void;
  /**
   * Idempotent.
   *
   * @throws what a step threw, the first of them; AggregateError for several.
   */
  run(): Promise<void>;
}

export function createCleanUp(): CleanUp {
  const steps: (() => Promise<unknown>)[] = [];
  let over: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const step of steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) {
      throw new AggregateError(errors, errors.map(String).join('; '));
    }
    if (errors.length === 1) {
      throw errors[0];
    }
  };

  return { add: (step) => void steps.push(step), run: () => (over ??= run()) };
}
