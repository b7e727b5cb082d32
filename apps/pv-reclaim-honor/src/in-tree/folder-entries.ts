import type { Dir } from 'node:fs';
import { opendir, type FileHandle } from 'node:fs/promises';
import { self } from './open-folder.ts';

/** Entries as Node has read them: a name, then the number of its type, and so on. */
type ReadEntries = readonly (string | number)[];

/** Numbers of types (`UV_DIRENT_UNKNOWN` and `UV_DIRENT_FILE` of libuv). */
const types = { unknown: 0, file: 1 } as const;

/** What makes entries of what was read; it is in every version of Node, but in no documentation. */
interface EntryMaker {
  processReadResult?: (path: string, read: ReadEntries) => void;
}

/**
 * Opens the entries of an open folder from their beginning; they are read on demand.
 *
 * An entry of an unknown type counts as a file. Some file systems often report no types (NFS, old XFS). Node
 * would then call `lstatSync` for each entry: the whole process would hang with such a file system, and names
 * that are not ASCII would not be found, since they are read here as one character for each byte.
 */
export async function entriesOf(folder: FileHandle): Promise<Dir> {
  const entries: Dir & EntryMaker = await opendir(self(folder), { encoding: 'latin1', bufferSize: 512 });
  const make = entries.processReadResult;
  if (make !== undefined) {
    entries.processReadResult = (path, read) => make.call(entries, path, read.map(knownType));
  }
  return entries;
}

function knownType(each: string | number): string | number {
  return each === types.unknown ? types.file : each;
}
