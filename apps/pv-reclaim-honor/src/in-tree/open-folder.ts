import { constants, readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/*
 * Folders held open. What a folder contains is reached through the folder's handle (/proc/self/fd, the way of
 * Linux without openat), so that nobody can lead us elsewhere by replacing a part of a path. Names and paths
 * are strings with one character for each byte (latin1), since a file name need not be UTF-8.
 */

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder by a path whose links are all resolved. The last part must not be a link. */
export function openFolder(path: Buffer | string): Promise<FileHandle> {
  return open(path, asFolder);
}

/** Returns a path to the open folder itself. */
export function self(folder: FileHandle): string {
  return `/proc/self/fd/${String(folder.fd)}`;
}

/** Returns a path to the entry of that name in an open folder. */
export function within(folder: FileHandle, name: string): Buffer {
  return Buffer.from(`${self(folder)}/${name}`, 'latin1');
}

/**
 * Returns the current path of the open folder, with ` (deleted)` at its end if it is gone. It reads
 * synchronously: procfs answers from memory.
 *
 * @throws Error ENAMETOOLONG if the path is longer than 4095 bytes.
 */
export function pathOf(folder: FileHandle): string {
  return readlinkSync(self(folder), 'latin1');
}

/** Returns the path of the entry of that name in a folder. */
export function pathBelow(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/**
 * Returns the rest of the path below the folder, empty for the folder itself; undefined if it is not below
 * it.
 */
export function pathWithin(folder: string, path: string): string | undefined {
  if (path === folder) {
    return '';
  }
  const prefix = pathBelow(folder, '');
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}
