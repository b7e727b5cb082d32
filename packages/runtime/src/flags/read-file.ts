import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The largest accepted file, in bytes: kubeconfigs of a thousand clusters have some three MiB. */
const largest = 16 * 1024 * 1024;

/**
 * Reads a file that a person has named, without ever waiting for it. A file without an end, or a pipe that
 * nobody writes to, would otherwise block the whole process.
 *
 * @throws Error for a pipe, a socket, and a file of more than 16 MiB; also what Node throws.
 */
export function readNamedFile(path: string): Buffer {
  // O_NONBLOCK, because a pipe that nobody writes to would not even open.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    mustBeFile(fstatSync(file));
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.alloc(64 * 1024);
      const read = readSync(file, chunk);
      if (read === 0) {
        return Buffer.concat(chunks, length);
      }
      chunks.push(chunk.subarray(0, read));
      length += read;
      if (length > largest) {
        throw tooLarge();
      }
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Checks a file that a library will read and wait for. A missing file is left to that library.
 *
 * @throws Error as {@link readNamedFile} does.
 */
export function checkNamedFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) {
    mustBeFile(stats);
    if (stats.size > largest) {
      throw tooLarge();
    }
  }
}

function mustBeFile(stats: ReturnType<typeof fstatSync>): void {
  if (stats.isFIFO() || stats.isSocket()) {
    throw new Error('it is a pipe or a socket; name a file');
  }
}

function tooLarge(): Error {
  return new Error(`it has more than ${String(largest / 1024 / 1024)} MiB`);
}
