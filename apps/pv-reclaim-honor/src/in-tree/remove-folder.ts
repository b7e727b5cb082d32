import type { Dir } from 'node:fs';
import { opendir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { mountIdOf, mountsBelow, readMounts } from './mount-table.ts';
import { codeOf, openFolder, pathBelow, pathOf, self, textOf, within } from './open-folder.ts';

/*
 * Removes a folder with all that is in it. Ours because fs.rm, and every package that stands on it, works by path, opens as many folders
 * as they are deep, and reads the whole of each into memory.
 */

/** A folder deeper than this in the one that is removed, or with a longer path, is first moved up into that one. */
const depthKept = 16;
const pathKept = 3_000;
/** Where moving is impossible, for instance between the project quotas of XFS, folders are held open down to this depth. */
const depthOpen = 128;
/** After this many entries the mount table is read again, so that a mount ends the removal before it is met. */
const entriesBetweenLooks = 1_000;

/** A folder that is to be removed, and where it stands. */
export interface Removable {
  readonly parent: FileHandle;
  readonly name: string;
  /** Stays open. */
  readonly folder: FileHandle;
}

export interface RemovalOptions {
  /** Called after each entry, which says that the file system answers. */
  readonly answered: () => void;
  /** Throws when nothing further is to be removed. */
  readonly throwIfAborted: () => void;
  /** Makes the error that is thrown when the folder can't be removed. */
  readonly refusal: (why: string, cause?: unknown) => Error;
}

/** A folder on the way down, and how far its entries were read. */
interface Level {
  readonly name: string;
  readonly folder: FileHandle;
  /** Where it stood when it was opened. */
  readonly path: string;
  entries: Dir;
  /** There was an entry since the folder was last read from its beginning. */
  hadEntries: boolean;
}

/**
 * Removes an open folder. Links are removed, not followed.
 *
 * # Guarantees
 * - What is removed is reached from the folder through folders that are neither links nor mounts.
 * - A mount that is made meanwhile is never entered, and ends the removal. So does moving the folder, or the one in it that is just
 *   being removed, to another place: that is looked at before each entry is removed.
 * - Neither the depth nor the number of entries costs descriptors or memory.
 * - Once aborted nothing further is changed, however late the call that is under way returns.
 *
 * @throws what `refusal` makes, with the reason; what `throwIfAborted` throws. What was removed by then is gone.
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

  /** Goes down into a folder, if there is one of that name still: it might have been moved up, or be gone. */
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

  /** Moves a folder that is too deep up into the one that is removed. Where that can't be done it is left where it is. */
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

  const removeEntry = async (level: Level, entry: string, isFolder: boolean): Promise<void> => {
    if (!isFolder && (await unlinked(within(level.folder, entry)))) {
      return;
    }
    await moveUp(level, entry);
    await enter(level, entry);
  };

  /** Goes up out of a folder that was read to its end, unless something has come into it meanwhile. */
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
    // It is gone, whoever has removed it, and no other of its name was taken for it.
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

/** What is wrong where something is mounted. */
export function mountedAt(mountPoint: string): string {
  return `something is mounted at "${textOf(mountPoint)}"; unmount it first`;
}

async function newLevel(name: string, folder: FileHandle, path: string): Promise<Level> {
  return { name, folder, path, entries: await entriesOf(folder), hadEntries: false };
}

/** The entries of an open folder from their beginning, read as they are needed. */
function entriesOf(folder: FileHandle): Promise<Dir> {
  return opendir(self(folder), { encoding: 'latin1', bufferSize: 512 });
}

/** Removes what is no folder; false: it is one. */
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

/** Nothing is there, or no folder, but a link, say. */
function isNoFolder(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}
