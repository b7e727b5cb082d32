/** What happened to the mutants of one file. */
export interface FileFigures {
  readonly file: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  /** No test failed, but they did not compile. */
  readonly refused: number;
  readonly survived: number;
  /** They survived, and are known to change nothing. */
  readonly equivalent: number;
  /** Entries of the list of equivalents that match no mutant, or one that is killed. */
  readonly wrong: number;
  readonly seconds: number;
}

const columns = ['mutants', 'killed', 'timedOut', 'refused', 'equivalent', 'survived'] as const;

/** Formats a line for each file, and one for the sum. */
export function mutationTable(figures: readonly FileFigures[]): string {
  const all = (column: (typeof columns)[number] | 'seconds') =>
    figures.reduce((sum, each) => sum + each[column], 0);
  const rows = [
    ['file', 'mutants', 'killed', 'timed out', 'not compiled', 'equivalent', 'survived', 'seconds'],
    ...figures.map((each) => [
      each.file,
      ...columns.map((column) => String(each[column])),
      each.seconds.toFixed(),
    ]),
    ['all', ...columns.map((column) => String(all(column))), all('seconds').toFixed()],
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}
