import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { missingBinaries } from '@holdfast/testing/binaries';
import { goTarget } from './build.ts';
import type { GoBuild } from './go-build.ts';

/**
 * The cache of built binaries, in one folder:
 *
 *     <name>-<key>/              a complete build, never changed
 *     <name>                     a link to the newest of these, which is what is looked for
 *     <name>.building-<random>/  a build that is not complete, or was left behind by one that died
 *     <name>.lock                held by who builds
 *
 * The name is a release of Kubernetes or the name of a set of tools.
 */

/** Everything that a build depends on: the content of each input, by name. */
export type BuildInputs = Readonly<Record<string, string>>;

export async function readBuildInputs(build: GoBuild): Promise<BuildInputs> {
  const contents = await Promise.all(
    build.sources.map(async (file) => [file, await readFile(join(build.folder, file), 'utf8')] as const),
  );
  return {
    ...Object.fromEntries(contents),
    ...goTarget(),
    arguments: JSON.stringify(build.arguments),
    // If there is only one package, the module's name is enough.
    ...(build.packages.length === 1 ? undefined : { packages: JSON.stringify(build.packages) }),
  };
}

/** Returns a key that is equal for equal inputs in any order, and different if any input differs. */
export function cacheKey(inputs: BuildInputs): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}

/** Returns whether there is a complete build under that key. Corrects the link if necessary. */
export async function useEntry(cache: string, build: GoBuild, key: string): Promise<boolean> {
  const entry = `${build.name}-${key}`;
  if (missingBinaries(join(cache, entry), build.programs).length > 0) {
    return false;
  }
  await linkTo(cache, build, entry);
  return true;
}

/**
 * Creates an entry from what `fill` puts into the folder that it is given, all or nothing: if it throws or
 * the process dies, there is no entry. Afterwards the link leads to the new entry, and older entries of that
 * name and leftovers are gone.
 *
 * @throws what `fill` throws, and an Error if it left a program out
 */
export async function addEntry(
  cache: string,
  build: GoBuild,
  key: string,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const entry = `${build.name}-${key}`;
  // In the same folder as the destination, because a rename is atomic only within a file system.
  const folder = await mkdtemp(join(cache, `${build.name}.building-`));
  try {
    await fill(folder);
    const missing = missingBinaries(folder, build.programs);
    if (missing.length > 0) {
      throw new Error(`the build of ${build.title} made no ${missing.join(', ')}`);
    }
    const destination = join(cache, entry);
    // Another process might have finished the same build at the same time, and might be using it. Only an
    // entry that has lost a program is replaced.
    if (missingBinaries(destination, build.programs).length > 0) {
      await rm(destination, { recursive: true, force: true });
      await rename(folder, destination);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await linkTo(cache, build, entry);
  await prune(cache, build, entry);
}

/** A link cannot be overwritten, but a rename replaces one atomically, so the link exists at any time. */
async function linkTo(cache: string, build: GoBuild, entry: string): Promise<void> {
  const link = join(cache, build.name);
  if ((await readlink(link).catch(() => undefined)) === entry) {
    return;
  }
  const aside = join(cache, `${build.name}.building-${randomUUID()}`);
  await symlink(entry, aside, 'dir');
  await rename(aside, link);
}

/** Call this only while holding the lock, because then no other process can own an incomplete build. */
async function prune(cache: string, build: GoBuild, kept: string): Promise<void> {
  const old = (await readdir(cache)).filter(
    (name) =>
      name !== kept && (name.startsWith(`${build.name}-`) || name.startsWith(`${build.name}.building-`)),
  );
  await Promise.all(old.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}
