import { escaped, printable } from './printable.ts';
import { table, type Cell } from './table.ts';

/** What a command answers: an object for programs, its names, and lines for people. */
export interface Answer {
  readonly object: { readonly kind: string };
  /** For `-o name`: `persistentvolumeclaim/data-web-2`. */
  readonly names: readonly string[];
  readonly parts: readonly Part[];
  /** Exit code; 0 where all is as it should be. */
  readonly code: number;
}

export type Part =
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | {
      readonly kind: 'table';
      readonly headings: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
    };

export const outputs = ['json', 'yaml', 'name'] as const;
export type Output = (typeof outputs)[number];

const apiVersion = 'kubectl.holdfast.dev/v1alpha1';

/** The text of an answer, with a line feed at its end, and nothing in it that a terminal would obey but its colours. */
export async function print(
  { object, names, parts }: Answer,
  output: Output | undefined,
  colours: boolean,
): Promise<string> {
  switch (output) {
    case 'json':
      return `${escaped(JSON.stringify({ apiVersion, ...object }, undefined, 2), '\n')}\n`;
    case 'yaml': {
      // Loaded for whom it is of use.
      const { dump } = await import('js-yaml');
      const texts = (_: string, value: unknown): unknown =>
        typeof value === 'string' ? escaped(value) : value;
      return dump(JSON.parse(JSON.stringify({ apiVersion, ...object }, texts)), { lineWidth: -1 });
    }
    case 'name':
      return names.map((name) => `${printable(name)}\n`).join('');
    case undefined:
      return `${parts.map((part) => linesOf(part, colours).join('\n')).join('\n\n')}\n`;
  }
}

/** What stands between two answers of one run: documents of YAML are parted by three dashes, those of JSON follow one another, and people want the time. */
export function separator(output: Output | undefined): (time: Date) => string {
  switch (output) {
    case 'yaml':
      return () => '---\n';
    case 'json':
    case 'name':
      return () => '';
    case undefined:
      return (time) => `\n${time.toISOString()}\n`;
  }
}

function linesOf(part: Part, colours: boolean): readonly string[] {
  if (part.kind === 'text') {
    return part.lines.map(printable);
  }
  const rows = part.rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? printable(cell) : { ...cell, text: printable(cell.text) })),
  );
  return table(part.headings, rows, { colours });
}
