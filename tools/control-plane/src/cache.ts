import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryNames, missingBinaries } from '@holdfast/testing';
import { goArguments, goTarget, moduleFile } from './build.ts';
import type { Release } from './releases.ts';

/**
 * The cache of built binaries, in one folder:
 *
 *     <release>-<key>/              a complete build, never changed
 *     <release>                     a link to the newest of these, which is what @holdfast/testing looks for
 *     <release>.building-<random>/  a build that is not complete, or was left behind by one that died
 *     <release>.lock                held by who builds
 */

/** Everything a build is made from: a name for each input and what it holds. */
export type BuildInputs = Readonly<Record<string, string>>;

export async function readBuildInputs(release: Release, goFolder: string): Promise<BuildInputs> {
  const module = moduleFile(release);
  const files = [
    'go.mod',
    module,
    module.replace(/mod$/, 'sum'),
    ...binaryNames.map((name) => `cmd/${name}/main.go`),
  ];
  const contents = await Promise.all(
    files.map(async (file) => [file, await readFile(join(goFolder, file), 'utf8')] as const),
  );
  return {
    ...Object.fromEntries(contents),
    ...goTarget(),
    arguments: JSON.stringify(goArguments(release)),
  };
}

/** Equal for equal inputs, in whatever order, and different once any of them differs. */
export function cacheKey(inputs: BuildInputs): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}

/** Whether there is a complete build under that key. Makes the link right where it is not. */
export async function useEntry(cache: string, release: Release, key: string): Promise<boolean> {
  const entry = `${release.name}-${key}`;
  if (missingBinaries(join(cache, entry)).length > 0) {
    return false;
  }
  await linkTo(cache, release, entry);
  return true;
}

/**
 * Makes a new entry of what `fill` puts into the folder that it is given, all or nothing: if it throws or the process
 * dies, there is no entry. Afterwards the link leads to it and the release's older entries and leftovers are gone.
 *
 * @throws what `fill` throws, and an Error when it left a program out
 */
export async function addEntry(
  cache: string,
  release: Release,
  key: string,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const entry = `${release.name}-${key}`;
  // Beside its destination, because a rename is only atomic within a file system.
  const folder = await mkdtemp(join(cache, `${release.name}.building-`));
  try {
    await fill(folder);
    const missing = missingBinaries(folder);
    if (missing.length > 0) {
      throw new Error(`the build of ${release.version} made no ${missing.join(', ')}`);
    }
    const destination = join(cache, entry);
    // Somebody may have finished the same at the same time, and may be using it. One that lost a program gives way.
    if (missingBinaries(destination).length > 0) {
      await rm(destination, { recursive: true, force: true });
      await rename(folder, destination);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await linkTo(cache, release, entry);
  await prune(cache, release, entry);
}

/** A link cannot be overwritten, but a rename replaces one atomically: there is no moment without. */
async function linkTo(cache: string, release: Release, entry: string): Promise<void> {
  const link = join(cache, release.name);
  if ((await readlink(link).catch(() => undefined)) === entry) {
    return;
  }
  const aside = join(cache, `${release.name}.building-${randomUUID()}`);
  await symlink(entry, aside, 'dir');
  await rename(aside, link);
}

/** Only who holds the lock may do this: what is not complete belongs to nobody then. */
async function prune(cache: string, release: Release, kept: string): Promise<void> {
  const old = (await readdir(cache)).filter(
    (name) =>
      name !== kept && (name.startsWith(`${release.name}-`) || name.startsWith(`${release.name}.building-`)),
  );
  await Promise.all(old.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}
