import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file that is known by its digest, wherever it comes from. */
export interface KnownFile {
  readonly name: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** In hexadecimal digits. */
  readonly digest: string;
}

/**
 * Reads a file from a folder, into which it is fetched first if it isn't there. Its digest is checked each time.
 *
 * @param fetch puts the file into the folder that it is given, under its name.
 * @throws what `fetch` throws, and an Error when the digest is another one
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
  // Beside its destination: a rename leaves no half of a file behind.
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
