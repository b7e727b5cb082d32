import fc from 'fast-check';
import type { Target } from './target.ts';

/** An input that violates what must hold, shrunk as far as possible. */
export interface Failure {
  readonly target: string;
  readonly input: unknown;
  /** What it did. */
  readonly what: string;
  readonly seed: number;
}

/** What was played, and the result. */
export interface Played {
  readonly runs: number;
  readonly failure: Failure | undefined;
}

/** Plays random inputs of one target until one fails. */
export async function playRandom(target: Target, runs: number, seed: number): Promise<Played> {
  let played = 0;
  const result = await fc.check(
    fc.asyncProperty(target.input, async (input) => {
      played += 1;
      await target.play(input);
    }),
    { numRuns: runs, seed },
  );
  const [input] = result.counterexample ?? [];
  return {
    runs: played,
    failure: result.failed
      ? { target: target.name, input, what: wordsOf(result.errorInstance), seed }
      : undefined,
  };
}

/** Returns the first line of what an input did. */
function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 300) ?? '';
}
