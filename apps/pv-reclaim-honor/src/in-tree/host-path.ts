import { realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, normalize, relative } from 'node:path';
import type { PersistentVolume } from '@holdfast/core';
import { OvertakenError } from '../overtaken-error.ts';
import type { StepwiseDeletionOptions } from '../storage-deletion.ts';
import { UnreadableVolumeError } from '../unreadable-volume-error.ts';
import type { InTreePlugin } from './in-tree-plugin.ts';
import { NoAnswerError, type FileCalls, type Patience } from './file-calls.ts';
import { NoTurnError } from './line.ts';
import { mountIdOf } from './mount-table.ts';
import { bytesOf, codeOf, openFolder, pathOf, within } from './open-folder.ts';
import { mountPointsIn } from './place.ts';
import { mountedAt, removeFolder, type Removable } from './remove-folder.ts';
import type { VolumeFolder } from './volume-folders.ts';

/*
 * Deletes the folders of hostPath volumes. Between the check of a path and its use somebody could put a link
 * there, and a controller that runs as root would then empty another folder. So every folder is opened from
 * its parent's handle and never through a link, and what is deleted is what was checked.
 */

/** The volumes other than the one to be deleted. */
export interface Others {
  /**
   * Returns those of all volumes as they are now, including the deleted one, that overlap it by their text or
   * overlap an open folder by their place, or might.
   */
  readonly folders: (folder: FileHandle, volume: PersistentVolume) => Promise<readonly VolumeFolder[]>;
  /**
   * Opens a look at volumes that were read before; it returns whether storage must stay because of one of them,
   * according to the API server.
   */
  readonly lookAtNeeds: () => (volume: PersistentVolume, signal: AbortSignal) => Promise<boolean>;
  /**
   * Returns the same according to the watch for the volume of that name; false if the watch has nothing about
   * it.
   */
  readonly needsStorageInCache: (volume: PersistentVolume) => boolean;
}

/** What a deletion uses in addition to the volume and the root. */
interface Surroundings {
  readonly others: Others;
  readonly calls: FileCalls;
}

/**
 * How long a file system can be silent while a folder is removed, in milliseconds: removing one large file
 * can take seconds.
 */
const removalLimit = 30_000;

/** Creates the error of a deletion that must not or cannot be done. */
type Refusal = (why: string, cause?: unknown) => Error;

/**
 * Creates the plugin `kubernetes.io/host-path`, for the node that this process runs on.
 *
 * It only deletes folders below the root. It refuses the root itself, paths with `..`, links on the way and
 * at the end, and files. It refuses folders that are or contain a mount of any kind that this process sees.
 * It refuses volumes that name their nodes, since the same path on another node is another folder. A missing
 * folder counts as deleted. Links within the folder are removed, not followed. It works only on Linux:
 * elsewhere every deletion is refused.
 *
 * The deletion is also refused while another volume needs its storage in the same place of the file system,
 * within it or around it, or has a mount there, by whatever links its path leads there; and while the place
 * of such a volume is unknown.
 *
 * A file system that does not answer costs the caller a limited time: the deletion is refused, and what was
 * begun goes on by itself until the call returns, and changes nothing after that.
 *
 * @param root can itself be reached through links, since the administrator who starts this process names it.
 */
export function hostPathPlugin(root: string, others: Others, calls: FileCalls): InTreePlugin {
  return {
    canDelete: ({ spec }) =>
      spec?.hostPath !== undefined &&
      spec.nodeAffinity?.required === undefined &&
      isBelow(root, spec.hostPath.path),
    delete: (volume, options) => deleteBelow(root, volume, { others, calls }, options),
  };
}

function hostPathOf({ spec, metadata }: PersistentVolume): string {
  const path = spec?.hostPath?.path;
  if (path === undefined) {
    throw new Error(`volume ${metadata.name} is no hostPath volume`);
  }
  return path;
}

async function deleteBelow(
  root: string,
  volume: PersistentVolume,
  { others, calls }: Surroundings,
  { announce, beforeDeletion, beforeStep, signal }: StepwiseDeletionOptions,
): Promise<void> {
  const path = hostPathOf(volume);
  const refusal = refusalOf(path);
  if (volume.spec?.nodeAffinity?.required !== undefined) {
    throw refusal(
      'the volume names its nodes (spec.nodeAffinity), and this process does not know whether it runs on one of them',
    );
  }
  if (process.platform !== 'linux') {
    throw refusal('hostPath volumes are deleted on Linux only, where mounts can be told apart');
  }
  const steps = stepsBelow(root, path);
  if (steps.length === 0) {
    throw refusal('it is --host-path-root itself; only folders below it are');
  }
  const unlessSilent = <T>(row: Promise<T>): Promise<T> =>
    row.catch((error: unknown) => {
      throw error instanceof NoAnswerError ? refusal(error.message, error) : error;
    });

  const opened = await unlessSilent(
    calls.make(path, () => openRemovable(root, steps, refusal), {
      late: async (folder) => folder && close(folder),
    }),
  );
  if (opened === undefined) {
    return;
  }
  let isRemoving = false as boolean;
  let beside: readonly PersistentVolume[] = [];
  const mustBeDue = (): void => {
    beforeDeletion();
    // The cache finds other volumes only by their paths, and not those that reach this folder through a link.
    const needy = beside.find(others.needsStorageInCache);
    if (needy !== undefined) {
      throw new OvertakenError(`volume ${needy.metadata.name} has changed since the folders were looked for`);
    }
  };
  const remove = async ({ answered, signal: unlessGivenUp }: Patience): Promise<void> => {
    isRemoving = true;
    try {
      if (!(await isStillThere(opened, () => openRemovable(root, steps, refusal), refusal))) {
        return;
      }
      inTime(mustBeDue);
      const throwIfAborted = (): void => {
        signal.throwIfAborted();
        unlessGivenUp.throwIfAborted();
        beforeStep();
      };
      await removeFolder(opened, { answered, throwIfAborted, refusal });
    } finally {
      // Not earlier: a call still under way would find another folder under the number of the closed handle.
      await close(opened);
    }
  };
  try {
    beside = await mustBeFree(volume, opened.folder, others, refusal, signal);
    mustBeDue();
    await announce(beside);
    mustBeDue();
    await unlessSilent(calls.make(path, remove, { limit: removalLimit }));
  } finally {
    if (!isRemoving) {
      await close(opened);
    }
  }
}

/**
 * The look was recent enough before others had their turn, and is too old after it. That does not mean that
 * looks take too long.
 */
function inTime(mustBeDue: () => void): void {
  try {
    mustBeDue();
  } catch (cause) {
    if (cause instanceof OvertakenError) {
      throw cause;
    }
    throw new NoTurnError('not begun: others were under way for longer than a look lasts', { cause });
  }
}

/**
 * Returns whether the folder is still where it was opened. The look at all other folders can take long, and a
 * folder that was moved meanwhile might belong to another volume by now. It compares inodes and not paths,
 * which FUSE might spell differently later.
 *
 * @param openAgain opens what is at the path now.
 * @returns false if there is nothing at the path any more.
 * @throws the refusal if another folder is there.
 */
async function isStillThere(
  opened: Removable,
  openAgain: () => Promise<Removable | undefined>,
  refusal: Refusal,
): Promise<boolean> {
  const now = await openAgain();
  if (now === undefined) {
    return false;
  }
  try {
    const before = await opened.folder.stat({ bigint: true });
    const { dev, ino } = await now.folder.stat({ bigint: true });
    if (dev !== before.dev || ino !== before.ino) {
      throw refusal('another folder was put in its place meanwhile');
    }
    return true;
  } finally {
    await close(now);
  }
}

async function close({ folder, parent }: Removable): Promise<void> {
  await folder.close();
  await parent.close();
}

/**
 * @returns the other volumes that overlap, or might, none of which needs its storage.
 * @throws the refusal if something is mounted in the folder, or another volume needs, or might need, what is
 *   in it.
 */
async function mustBeFree(
  volume: PersistentVolume,
  folder: FileHandle,
  { folders, lookAtNeeds }: Others,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<readonly PersistentVolume[]> {
  const free: PersistentVolume[] = [];
  const found = await folders(folder, volume);
  const needsStorage = lookAtNeeds();
  for (const { volume: other, path, overlaps, unreadable } of found) {
    signal.throwIfAborted();
    if (isSameState(volume, other)) {
      continue;
    }
    if (unreadable !== undefined) {
      const cause = new UnreadableVolumeError(unreadable);
      throw refusal(cause.message, cause);
    }
    if (await needsStorage(other, signal)) {
      throw overlaps instanceof Error
        ? refusal(
            `volume ${other.metadata.name} might need it: where its path "${path ?? ''}" leads is not known: ${overlaps.message}`,
            overlaps,
          )
        : refusal(`volume ${other.metadata.name} needs it, whose path "${path ?? ''}" leads there too`);
    }
    free.push(other);
  }
  const [mountPoint] = mountPointsIn(folder);
  if (mountPoint !== undefined) {
    throw refusal(mountedAt(mountPoint));
  }
  return free;
}

/**
 * If false, the volume has changed since it was looked at, or another has its name: it is then treated like
 * any other volume.
 */
function isSameState({ metadata: one }: PersistentVolume, { metadata: other }: PersistentVolume): boolean {
  return one.uid === other.uid && one.resourceVersion === other.resourceVersion;
}

function refusalOf(path: string): Refusal {
  return (why, cause) => new Error(`"${path}" is not deleted: ${why}`, { cause });
}

function isBelow(root: string, path: string): boolean {
  try {
    return stepsBelow(root, path).length > 0;
  } catch {
    return false;
  }
}

/** Returns the names on the way from the root to the path. */
function stepsBelow(root: string, path: string): readonly string[] {
  const refusal = refusalOf(path);
  if (!isAbsolute(path) || path.split('/').includes('..') || path.includes('\0')) {
    throw refusal('a hostPath must be absolute and without ".."');
  }
  const below = relative(normalize(root), normalize(path));
  if (below === '..' || below.startsWith('../')) {
    throw refusal(`it is not below --host-path-root "${root}"`);
  }
  return below.split('/').filter((step) => step !== '');
}

async function openRoot(root: string, refusal: Refusal): Promise<FileHandle> {
  try {
    return await openFolder(await realpath(root));
  } catch (error) {
    throw refusal(`--host-path-root "${root}" can't be opened`, error);
  }
}

/** Opens the folder at the end of the steps; undefined if it does not exist. */
async function openRemovable(
  root: string,
  steps: readonly string[],
  refusal: Refusal,
): Promise<Removable | undefined> {
  const name = steps.at(-1) ?? '';
  const parent = await openOnTheWay(await openRoot(root, refusal), steps.slice(0, -1), refusal);
  let folder: FileHandle | undefined;
  try {
    folder = parent && (await openStep(parent, name, refusal));
    return parent && folder && { parent, name: bytesOf(name), folder };
  } finally {
    if (folder === undefined) {
      await parent?.close();
    }
  }
}

/**
 * Opens the last of the folders on the way, and closes those before it; undefined if one of them does not
 * exist.
 */
async function openOnTheWay(
  root: FileHandle,
  steps: readonly string[],
  refusal: Refusal,
): Promise<FileHandle | undefined> {
  let folder: FileHandle | undefined = root;
  for (const step of steps) {
    const above: FileHandle = folder;
    try {
      folder = await openStep(above, step, refusal);
    } finally {
      await above.close();
    }
    if (folder === undefined) {
      return undefined;
    }
  }
  return folder;
}

/**
 * Opens the folder of that name in an open one, in the same mount; undefined if there is nothing of that
 * name.
 */
async function openStep(parent: FileHandle, name: string, refusal: Refusal): Promise<FileHandle | undefined> {
  let folder: FileHandle;
  try {
    folder = await openFolder(within(parent, bytesOf(name)));
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
        return undefined;
      // Links get this code too, because Linux first checks whether it is a folder.
      case 'ENOTDIR':
        throw refusal(`"${name}" is a link or a file; every part of a hostPath must be a folder`, error);
      default:
        throw refusal(`"${name}" can't be opened (${codeOf(error) ?? 'unknown'})`, error);
    }
  }
  try {
    if (mountIdOf(folder.fd) !== mountIdOf(parent.fd)) {
      throw refusal(mountedAt(pathOf(folder)));
    }
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}
