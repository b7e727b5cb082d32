import type { PartResult } from './parts.ts';

/** How tests ended on both. */
export interface Outcomes {
  readonly names: readonly string[];
  /** Those that passed. */
  readonly embedded: ReadonlySet<string>;
  readonly real: ReadonlySet<string>;
}

/**
 * A test that passes on the real server alone is a failure, but for those that are known; one that is known and passes is a failure too, so that
 * the README stays true.
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
