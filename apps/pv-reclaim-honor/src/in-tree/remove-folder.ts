import type { Dir } from 'node:fs';
import { rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { entriesOf } from './folder-entries.ts';
import { mountIdOf, mountsBelow, readMounts } from './mount-table.ts';
import { codeOf, openFolder, pathBelow, pathOf, textOf, within } from './open-folder.ts';

/*
 * Removes a folder with everything in it. Holdfast has its own code because fs.rm, and every package based on
 * it, works by path, opens as many folders as they are deep, and reads each one whole into memory.
 */

/**
 * A folder that is deeper than this in the removed one, or has a longer path, is first moved up into the
 * removed one.
 */
const depthKept = 16;
const pathKept = 3_000;
/**
 * If moving is impossible, for instance between the project quotas of XFS, folders are held open down to this
 * depth.
 */
const depthOpen = 128;
/**
 * The mount table is read again after this many entries, so that a mount ends the removal before it is
 * reached.
 */
const entriesBetweenLooks = 1_000;

/** A folder to be removed, and where it is. */
export interface Removable {
  readonly parent: FileHandle;
  readonly name: string;
  /** Stays open. */
  readonly folder: FileHandle;
}

export interface RemovalOptions {
  /** Called after each entry, which shows that the file system answers. */
  readonly answered: () => void;
  /** Throws if nothing more must be removed. */
  readonly throwIfAborted: () => void;
  /** Creates the error to throw if the folder cannot be removed. */
  readonly refusal: (why: string, cause?: unknown) => Error;
}

/** A folder on the way down, and how far its entries were read. */
interface Level {
  readonly name: string;
  readonly folder: FileHandle;
  /** Its path when it was opened. */
  readonly path: string;
  entries: Dir;
  /** Whether there was an entry since the folder was last read from its beginning. */
  hadEntries: boolean;
}

/**
 * Removes an open folder. Links are removed, not followed.
 *
 * # Guarantees
 * - What is removed is reached from the folder through folders that are neither links nor mounts.
 * - A mount that is made meanwhile is never entered, and ends the removal. So does moving the folder, or the
 *   inner folder being removed, to another place: this is checked before each entry is removed.
 * - Neither the depth nor the number of entries costs descriptors or memory.
 * - Once aborted nothing more is changed, however late the call under way returns.
 *
 * @throws what `refusal` creates, with the reason; what `throwIfAborted` throws. What was removed by then is
 *   gone.
 */
export async function removeFolder(
  { parent, name, folder }: Removable,
  { answered, throwIfAborted, refusal }: RemovalOptions,
): Promise<void> {
  const mount = mountIdOf(folder.fd);
  const path = pathOf(folder);
  const run = crypto.randomUUID();
  const levels: Level[] = [];
  let entriesSeen = 0;
  let foldersMoved = 0;

  const mustStand = (at: string, level: Level): void => {
    const now = pathOf(level.folder);
    if (now !== at) {
      throw refusal(`"${textOf(level.path)}" was moved to "${textOf(now)}" meanwhile`);
    }
  };
  const mustHaveNoMounts = (): void => {
    const [below] = mountsBelow(path, readMounts());
    if (below !== undefined) {
      throw refusal(mountedAt(below.mountPoint));
    }
  };

  /** Enters a folder, if there still is one of that name: it might have been moved up, or be gone. */
  const enter = async (above: Level, entry: string): Promise<void> => {
    let opened: FileHandle;
    try {
      opened = await openFolder(within(above.folder, entry));
    } catch (error) {
      if (isNoFolder(error)) {
        return;
      }
      throw error;
    }
    let level: Level;
    try {
      if (mountIdOf(opened.fd) !== mount) {
        throw refusal(mountedAt(pathOf(opened)));
      }
      level = await newLevel(entry, opened, pathBelow(above.path, entry));
    } catch (error) {
      await opened.close();
      throw error;
    }
    levels.push(level);
  };

  /** Moves a folder that is too deep up into the removed one. If that is impossible it stays where it is. */
  const moveUp = async (above: Level, entry: string): Promise<void> => {
    if (levels.length < depthKept && above.path.length + entry.length < pathKept) {
      return;
    }
    throwIfAborted();
    try {
      await rename(within(above.folder, entry), within(folder, `.holdfast-${run}-${String(foldersMoved++)}`));
    } catch (error) {
      if (levels.length >= depthOpen) {
        throw error;
      }
    }
  };

  /** @param isFolder false if it is not known. */
  const removeEntry = async (level: Level, entry: string, isFolder: boolean): Promise<void> => {
    if (!isFolder && (await unlinked(within(level.folder, entry)))) {
      return;
    }
    await moveUp(level, entry);
    await enter(level, entry);
  };

  /** Leaves a folder that was read to its end, unless something was added meanwhile. */
  const leave = async (level: Level): Promise<void> => {
    mustStand(level.path, level);
    try {
      await rmdir(within(levels.at(-2)?.folder ?? parent, level.name));
    } catch (error) {
      if (codeOf(error) === 'ENOTEMPTY' && level.hadEntries) {
        await level.entries.close();
        level.entries = await entriesOf(level.folder);
        level.hadEntries = false;
        return;
      }
      if (!isNoFolder(error)) {
        throw error;
      }
    }
    // The folder is gone, whoever removed it, and was not confused with another one of its name.
    mustStand(`${level.path} (deleted)`, level);
    levels.pop();
    await close(level);
  };
  const close = async (level: Level): Promise<void> => {
    await level.entries.close();
    if (level.folder !== folder) {
      await level.folder.close();
    }
  };

  const step = async (level: Level): Promise<void> => {
    const entry = await level.entries.read();
    throwIfAborted();
    if (entry === null) {
      return leave(level);
    }
    level.hadEntries = true;
    entriesSeen += 1;
    mustStand(level.path, level);
    if (entriesSeen % entriesBetweenLooks === 0) {
      mustHaveNoMounts();
    }
    return removeEntry(level, entry.name, entry.isDirectory());
  };

  levels.push(await newLevel(name, folder, path));
  try {
    mustHaveNoMounts();
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      throwIfAborted();
      try {
        await step(level);
        answered();
      } catch (error) {
        const code = codeOf(error);
        throw code === undefined
          ? error
          : refusal(`"${textOf(level.path)}" can't be emptied or removed (${code})`, error);
      }
    }
  } finally {
    for (const level of levels.reverse()) {
      await close(level);
    }
  }
}

/** Returns the reason for a refusal if something is mounted there. */
export function mountedAt(mountPoint: string): string {
  return `something is mounted at "${textOf(mountPoint)}"; unmount it first`;
}

async function newLevel(name: string, folder: FileHandle, path: string): Promise<Level> {
  return { name, folder, path, entries: await entriesOf(folder), hadEntries: false };
}

/** Removes what is not a folder; returns false if it is one. */
async function unlinked(path: Buffer): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
        return true;
      case 'EISDIR':
        return false;
      default:
        throw error;
    }
  }
}

/** Returns whether there is nothing, or something other than a folder, such as a link. */
function isNoFolder(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}
