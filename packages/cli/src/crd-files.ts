import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, oneLine } from './exit-code.ts';
import { makeFolder } from './make-folder.ts';
import { unifiedDiff } from './unified-diff.ts';

/** A file with the text that it should have. */
export interface WantedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the difference between the file and the wanted text as a diff; empty if there is none. A missing
 * file counts as empty.
 */
export async function staleness({ path, text }: WantedFile): Promise<string> {
  return unifiedDiff(path, (await textOf(path)) ?? '', text);
}

/**
 * Gives the file the wanted text, as a whole or not at all. A file that already has it is left alone.
 *
 * @returns whether it was written.
 */
export async function writeWanted({ path, text }: WantedFile): Promise<boolean> {
  if ((await textOf(path)) === text) {
    return false;
  }
  const folder = join(path, '..');
  const unfinished = join(folder, `.holdfast-${process.pid}.tmp`);
  try {
    await makeFolder(folder);
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new CommandError(`${path} can't be written: ${oneLine(error)}`);
  }
  return true;
}

/** Git might have changed the line ends; these do not count as a difference. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw new CommandError(`${path} can't be read: ${oneLine(error)}`);
  }
}
