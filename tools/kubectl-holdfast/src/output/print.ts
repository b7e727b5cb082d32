import { escaped, printable } from './printable.ts';
import { table, type Cell } from './table.ts';

/** The answer of a command: an object for programs, its names, and lines for people. */
export interface Answer {
  readonly object: { readonly kind: string };
  /** For `-o name`: `persistentvolumeclaim/data-web-2`. */
  readonly names: readonly string[];
  readonly parts: readonly Part[];
  /** The exit code; 0 if everything is as it should be. */
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

/**
 * Returns the text of an answer, with a line feed at its end. Apart from colours it contains nothing that a
 * terminal would interpret.
 */
export async function print(
  { object, names, parts }: Answer,
  output: Output | undefined,
  colours: boolean,
): Promise<string> {
  switch (output) {
    case 'json':
      return `${escaped(JSON.stringify({ apiVersion, ...object }, undefined, 2), '\n')}\n`;
    case 'yaml': {
      // Imported only here, because most runs do not need it.
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

/**
 * What separates two answers of the same run: YAML documents are separated by three dashes, JSON documents
 * simply follow one another, and people want to see the time.
 */
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
