import type { Mutant } from './mutants.ts';

/** A mutant that no test can kill, because it changes nothing that can be observed. */
export interface Equivalent {
  readonly file: string;
  /** The line or lines, before and after the change; in one line, without indentation. */
  readonly before: string;
  readonly after: string;
  /** Why it changes nothing. */
  readonly why: string;
}

export interface Matched {
  /** The equivalents by the id of the mutant. */
  readonly equivalent: ReadonlyMap<number, Equivalent>;
  /** The entries for the file that match none of its mutants, because the code has changed since. */
  readonly stale: readonly Equivalent[];
}

/** Finds the mutants that are known to change nothing. An entry applies wherever exactly its lines occur. */
export function matchEquivalents(
  file: string,
  mutants: readonly Mutant[],
  entries: readonly Equivalent[],
): Matched {
  const ofFile = entries.filter((entry) => entry.file === file);
  const isOf = (entry: Equivalent, mutant: Mutant) =>
    mutant.before === entry.before && mutant.after === entry.after;
  return {
    equivalent: new Map(
      mutants.flatMap((mutant) => {
        const entry = ofFile.find((each) => isOf(each, mutant));
        return entry === undefined ? [] : [[mutant.id, entry] as const];
      }),
    ),
    stale: ofFile.filter((entry) => !mutants.some((mutant) => isOf(entry, mutant))),
  };
}
