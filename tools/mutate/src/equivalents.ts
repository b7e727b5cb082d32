import type { Mutant } from './mutants.ts';

/** A mutant that no test can kill, since nothing that anybody could see changes. */
export interface Equivalent {
  readonly file: string;
  /** The line, or lines, as they are and as they would be; without indentation, in one line. */
  readonly before: string;
  readonly after: string;
  /** Why it changes nothing. */
  readonly why: string;
}

export interface Matched {
  /** By the id of a mutant. */
  readonly equivalent: ReadonlyMap<number, Equivalent>;
  /** Of the entries of the file those that name none of its mutants: the code has changed since. */
  readonly stale: readonly Equivalent[];
}

/** Finds the mutants that are known to change nothing. An entry stands for each place where its very lines are. */
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
