import { readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in their order; those of a list without its indentation. */
export function blocksOf(file: string): readonly Block[] {
  const found = readFileSync(file, 'utf8').matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm);
  return [...found].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The rows of all tables of a text, cell by cell, without their heads. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const rows = text.matchAll(/^\|(.+)\|$/gm);
  const cells = [...rows].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
  const isRule = (row: readonly string[] | undefined): boolean =>
    row?.every((cell) => /^-+$/.test(cell)) === true;
  return cells.filter((row, index) => !isRule(row) && !isRule(cells[index + 1]));
}
