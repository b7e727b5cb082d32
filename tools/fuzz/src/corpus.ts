import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An input that once broke something, or that represents a class of its own. */
export interface Entry {
  /** A name that describes the input. */
  readonly name: string;
  /** What it did, or which class it represents. */
  readonly what: string;
  readonly input: unknown;
}

const corpus = join(import.meta.dirname, '../corpus');

/** Returns the entries of a target, by name. */
export function entriesOf(target: string): readonly Entry[] {
  const folder = join(corpus, target);
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.json$/, ''),
      ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Entry, 'name'>),
    }));
}

/** Returns the folders of the corpus, each of which must be that of a target. */
export function corpusFolders(): readonly string[] {
  return readdirSync(corpus).toSorted();
}

/**
 * Saves an input that has failed.
 *
 * @returns the path of the file, below the root
 */
export function keep(target: string, input: unknown, what: string): string {
  const text = JSON.stringify(input);
  const words = what
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  const name = `${words}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
  mkdirSync(join(corpus, target), { recursive: true });
  writeFileSync(join(corpus, target, name), `${JSON.stringify({ what, input }, undefined, 2)}\n`);
  return `tools/fuzz/corpus/${target}/${name}`;
}
