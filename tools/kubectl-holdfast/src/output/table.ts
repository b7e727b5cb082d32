/** A cell: its text, and how it is highlighted on a terminal. */
export type Cell = string | { readonly text: string; readonly look: Look };

export type Look = 'good' | 'bad' | 'faint';

/** Control sequences of ANSI terminals. */
const looks: Readonly<Record<Look, string>> = { good: '\u001b[32m', bad: '\u001b[31m', faint: '\u001b[2m' };
const plain = '\u001b[0m';

export interface TableOptions {
  /** Whether to write control sequences. */
  readonly colours: boolean;
}

/**
 * Formats rows below their headings, like kubectl's tables: columns three blanks apart, and no blanks at the
 * end of a line.
 *
 * @param headings in capitals
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  { colours }: TableOptions,
): readonly string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => textOf(row[column] ?? '').length)),
  );
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, column) => {
        const text = textOf(cell);
        const isLast = column === cells.length - 1;
        const padding = isLast ? '' : ' '.repeat((widths[column] ?? 0) - text.length + 3);
        return `${colours && typeof cell === 'object' ? `${looks[cell.look]}${text}${plain}` : text}${padding}`;
      })
      .join('')
      .trimEnd();
  return [headings, ...rows].map(line);
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}
