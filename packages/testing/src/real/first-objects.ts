import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { binaryPath, type Environment } from './binaries.ts';

/**
 * The objects that kube-apiserver writes into an empty etcd: RBAC's default roles, flow schemas, the system
 * namespaces. Writing them takes a fifth to a quarter of the CPU time of its start, so a run that starts many control
 * planes keeps them once for each release and set of feature gates.
 *
 * What is kept is etcd's write-ahead log. It is only ever appended to, so a copy that still equals the log is
 * what etcd would find after a crash.
 */
export interface FirstObjects {
  /**
   * Puts the objects where an etcd that has not started yet will find them. Does nothing if none are kept.
   *
   * @param folder the control plane's own folder
   */
  putInto(folder: string): Promise<void>;
  /**
   * Keeps the objects of a control plane that has become ready and that nobody has used. Does nothing if some
   * are kept already, or if etcd does not stop writing.
   *
   * @param folder the control plane's own folder
   */
  keepFrom(folder: string): Promise<void>;
}

const firstSegment = '0000000000000000-0000000000000000.wal';
const logFolder = join('etcd', 'member', 'wal');

/** An idle control plane writes a few times a second, and a copy takes a tenth of a second. */
const attempts = 10;

/**
 * Returns the objects that are kept for these programs and feature gates, in the folder that
 * `HOLDFAST_FIRST_OBJECTS` names. Returns undefined if the variable is not set.
 *
 * @param binaries the folder of the programs
 * @throws if the variable is a relative path
 */
export async function firstObjects(
  binaries: string,
  featureGates: Readonly<Record<string, boolean>>,
  env: Environment = process.env,
): Promise<FirstObjects | undefined> {
  const store = env['HOLDFAST_FIRST_OBJECTS'];
  if (store === undefined || store === '') {
    return undefined;
  }
  if (!isAbsolute(store)) {
    throw new Error(`HOLDFAST_FIRST_OBJECTS is "${store}", a relative path: give an absolute one`);
  }
  const kept = join(store, `${await keyOf(binaries, featureGates)}.wal`);
  return {
    async putInto(folder) {
      // etcd warns of a folder that others may read.
      await mkdir(join(folder, logFolder), { recursive: true, mode: 0o700 });
      await copyFile(kept, join(folder, logFolder, firstSegment)).catch(ignoreMissing);
    },
    async keepFrom(folder) {
      if ((await stat(kept).catch(ignoreMissing)) !== undefined) {
        return;
      }
      await mkdir(store, { recursive: true });
      const beside = await mkdtemp(join(store, 'copy-'));
      try {
        const copy = join(beside, firstSegment);
        if (await copyBetweenWrites(join(folder, logFolder, firstSegment), copy)) {
          // Other processes see the whole file or none.
          await rename(copy, kept);
        }
      } finally {
        await rm(beside, { recursive: true, force: true });
      }
    },
  };
}

/** @returns whether nothing was written to the file during the copy. */
async function copyBetweenWrites(file: string, copy: string): Promise<boolean> {
  for (let left = attempts; left > 0; left -= 1) {
    await copyFile(file, copy);
    const [copied, now] = await Promise.all([readFile(copy), readFile(file)]);
    if (copied.equals(now)) {
      return true;
    }
  }
  return false;
}

/** Programs that were built again might write other objects, or read another format. */
async function keyOf(binaries: string, featureGates: Readonly<Record<string, boolean>>): Promise<string> {
  const programs = await Promise.all(
    (['etcd', 'kube-apiserver'] as const).map(async (name) => {
      const path = await realpath(binaryPath(binaries, name));
      const { size, mtimeMs } = await stat(path);
      return [path, size, mtimeMs];
    }),
  );
  const gates = Object.entries(featureGates).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([programs, gates]))
    .digest('hex')
    .slice(0, 16);
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
    throw error;
  }
}
