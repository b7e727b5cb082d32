import { basename, join } from 'node:path';
import { type DebianPackage } from './debian-lock.ts';
import { mirrorOf } from './debian-mirror.ts';
import { readKept } from './kept-file.ts';
import { run } from './run.ts';
import { readTar, type TarEntry } from './tar.ts';
import { UnavailableError } from './unavailable-error.ts';

/** The contents of a Debian package. */
export interface DebianContents {
  readonly entries: readonly TarEntry[];
  /** Its paragraph in dpkg's database. */
  readonly control: Buffer;
}

/** apt's own downloader, which respects the proxies and credentials in apt's configuration. */
const downloader = '/usr/lib/apt/apt-helper';

/**
 * Gets a package by its digest, from the folder or from apt's mirror, and opens it with dpkg-deb. dpkg-deb
 * knows every compression that Debian uses, of which Node supports none, and is available on every system, in
 * the package `dpkg`.
 *
 * @param packages the folder that caches packages
 * @throws UnavailableError if the package is neither in the folder nor available from a mirror, or if there
 *   is no dpkg-deb
 */
export async function openDebianPackage(packages: string, wanted: DebianPackage): Promise<DebianContents> {
  const name = basename(wanted.path);
  await readKept(packages, { name, algorithm: 'sha256', digest: wanted.sha256 }, async (folder) => {
    try {
      const address = `${await mirrorOf(wanted.archive)}/${wanted.path}`;
      await run(downloader, [
        // Otherwise apt warns that its own user cannot write into the folder.
        '-oAPT::Sandbox::User=root',
        'download-file',
        address,
        join(folder, name),
        `SHA256:${wanted.sha256}`,
      ]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UnavailableError(
        `${name} can't be had from apt's mirror: put it into ${packages}, or lock its successor (docs/images.md) (${why})`,
      );
    }
  });
  const file = join(packages, name);
  const [archive, control] = await Promise.all([
    run('dpkg-deb', ['--fsys-tarfile', file]),
    run('dpkg-deb', ['--field', file]),
  ]);
  return { entries: readTar(archive), control };
}
