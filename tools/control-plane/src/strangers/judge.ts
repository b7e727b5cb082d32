import type { PartResult } from './parts.ts';

/** How tests ended on both servers. */
export interface Outcomes {
  readonly names: readonly string[];
  /** The tests that passed. */
  readonly embedded: ReadonlySet<string>;
  readonly real: ReadonlySet<string>;
}

/**
 * A test that passes only on the real server is a failure, unless it is known. A known one that passes is a
 * failure, too, so that the README stays true.
 */
export function judge(
  { names, embedded, real }: Outcomes,
  known: readonly string[],
): Pick<PartResult, 'failures' | 'notes'> {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const name of names) {
    if (!real.has(name)) {
      notes.push(`does not pass on the real one, so it says nothing: ${name}`);
    } else if (embedded.has(name) === known.includes(name)) {
      failures.push(
        embedded.has(name)
          ? `in the README, and passes: ${name}`
          : `fails on the embedded server alone, and is not in the README: ${name}`,
      );
    } else if (!embedded.has(name)) {
      notes.push(`fails on the embedded server alone, as the README says: ${name}`);
    }
  }
  return { failures, notes };
}
