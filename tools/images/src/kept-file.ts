import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file that is identified by its digest, whatever its source. */
export interface KnownFile {
  readonly name: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** The digest in hexadecimal. */
  readonly digest: string;
}

/**
 * Reads a file from a folder, and fetches it into the folder first if it is missing. The digest is checked
 * each time.
 *
 * @param fetch puts the file into the given folder, under its name
 * @throws what `fetch` throws; Error if the digest differs
 */
export async function readKept(
  folder: string,
  file: KnownFile,
  fetch: (folder: string) => Promise<void>,
): Promise<Buffer> {
  const path = join(folder, basename(file.name));
  if (existsSync(path)) {
    const kept = readFileSync(path);
    if (digestOf(kept, file) === file.digest) {
      return kept;
    }
  }
  mkdirSync(folder, { recursive: true });
  // In the same folder as the destination, so that a rename can put the complete file there at once.
  const fetching = mkdtempSync(join(folder, 'fetching-'));
  try {
    await fetch(fetching);
    const fetched = readFileSync(join(fetching, file.name));
    const digest = digestOf(fetched, file);
    if (digest !== file.digest) {
      throw new Error(`${file.name} has ${file.algorithm} ${digest}, and ${file.digest} is locked`);
    }
    renameSync(join(fetching, file.name), path);
    return fetched;
  } finally {
    rmSync(fetching, { recursive: true, force: true });
  }
}

const digestOf = (content: Buffer, { algorithm }: KnownFile): string =>
  createHash(algorithm).update(content).digest('hex');
