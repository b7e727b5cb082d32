import type { FileFigures } from './table.ts';

/** The figures of a file that are recorded: only those that do not differ from run to run. */
export type Recorded = Omit<FileFigures, 'seconds' | 'wrong'>;

const columns = ['mutants', 'killed', 'timedOut', 'refused', 'equivalent', 'survived'] as const;
const headings = ['file', 'mutants', 'killed', 'timed out', 'not compiled', 'equivalent', 'survived'];

/**
 * Returns the record with new figures. A file that was played gets its new row, other files keep theirs, and
 * files that are no longer targets are left out.
 *
 * @param text the present record; empty if there is none
 * @param files the targets, in order
 */
export function recordWith(text: string, figures: readonly Recorded[], files: readonly string[]): string {
  const known = new Map([...readRecord(text), ...figures].map((each) => [each.file, each]));
  const rows = files.flatMap((file) => known.get(file) ?? []);
  const all = columns.map((column) => String(rows.reduce((sum, each) => sum + each[column], 0)));
  return `${introduction}${table([
    headings,
    ...rows.map((each) => [`\`${each.file}\``, ...columns.map((column) => String(each[column]))]),
    ['all', ...all],
  ])}\n`;
}

/** Returns the rows of a record. */
export function readRecord(text: string): readonly Recorded[] {
  return [...text.matchAll(/^\| `([^`]+)`((?: +\| +\d+){6}) \|$/gm)].map(([, file = '', cells = '']) => {
    const [mutants = 0, killed = 0, timedOut = 0, refused = 0, equivalent = 0, survived = 0] = cells
      .split('|')
      .slice(1)
      .map(Number);
    return { file, mutants, killed, timedOut, refused, equivalent, survived };
  });
}

const introduction = `# Mutants

Written by \`npm run mutate -- --record\`, a row for each file that it played. The columns are explained in [README.md](README.md).

`;

/** Formats a table as prettier does. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...others] = rows.map((row) =>
    line(
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      ),
    ),
  );
  const rule = line(
    widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  );
  return [head, rule, ...others].join('\n');
}
