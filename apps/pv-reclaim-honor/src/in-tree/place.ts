import { open, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { mountIdOf, mountsBelow, readMounts, type Mount } from './mount-table.ts';
import { bytesOf, codeOf, pathOf, pathWithin } from './open-folder.ts';
import type { FileCalls } from './file-calls.ts';
import { NoTurnError } from './line.ts';

/*
 * Where a path really leads. The same folder has many paths through links and bind mounts, but one place in
 * one file system.
 */

/** A place in a file system, whatever links and mounts lead there. */
export interface Place {
  /** The file system as `major:minor`. */
  readonly device: string;
  /** For NFS the server; two file systems of one server can show the same folder. */
  readonly server?: string | undefined;
  /** The path within the file system, or on the server, with one character for each byte. */
  readonly path: string;
}

/**
 * `O_PATH` of Linux, which Node does not define: opens anything without reading it or needing the right to.
 */
const asPath = 0o10000000;
/**
 * How many paths are held open at once, for one look at the mount table and at the places of all open
 * folders.
 */
const openAtOnce = 256;

/** Codes that mean that nothing is there, including those for impossible names. */
const nothingThere = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

/** The part of a path that could be opened, and the rest, which does not exist. */
interface Opened {
  readonly handle: FileHandle;
  readonly rest: string;
}

/** What a path shows. */
export interface Shown {
  /** The places to which it leads, including mounts below; an error if they are not known. */
  readonly places: readonly Place[] | Error;
  /**
   * The places, at the same moment, of the folders that were open meanwhile; an error if a place is not
   * known.
   */
  readonly open: ReadonlyMap<FileHandle, Place | Error>;
}

/**
 * Returns the places that each path shows, in the order of the paths. If the end of a path does not exist,
 * its place is in the last folder that does. A place is not known, for instance, if a file system does not
 * answer, or not correctly.
 *
 * An open folder changes its place when it is renamed. It also does when somebody uses another spelling in a
 * file system that ignores case without the kernel knowing (FUSE). So places can only be compared as of one
 * moment.
 *
 * @param open folders that are open; their number can change meanwhile.
 * @throws NoTurnError.
 */
export async function placesShownAt(
  paths: readonly string[],
  open: Iterable<FileHandle>,
  calls: FileCalls,
): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (let at = 0; at < paths.length; at += openAtOnce) {
    const opened: (Opened | Error)[] = [];
    try {
      for (const path of paths.slice(at, at + openAtOnce)) {
        const late = ({ handle }: Opened): Promise<void> => handle.close();
        opened.push(await calls.make(path, () => openPath(`/${path}`), { late }).catch(unlessNoTurn));
      }
      // While a file is open, the number of its mount is not reused.
      const mounts = readMounts();
      const placesOfOpen = new Map(
        [...open].map((handle) => [handle, unlessThrown(() => placeOfOpened({ handle, rest: '' }, mounts))]),
      );
      for (const each of opened) {
        const places = each instanceof Error ? each : unlessThrown(() => placesOfOpened(each, mounts));
        shown.push({ places, open: placesOfOpen });
      }
    } finally {
      for (const each of opened) {
        if (!(each instanceof Error)) {
          await each.handle.close();
        }
      }
    }
  }
  return shown;
}

/**
 * Returns the mount points in an open folder, even if only another mount shows the folder: nothing there can
 * be removed.
 *
 * @throws Error if they are not known.
 */
export function mountPointsIn(folder: FileHandle): readonly string[] {
  const mounts = readMounts();
  const byId = new Map(mounts.map((each) => [each.id, each]));
  const place = placeOfOpened({ handle: folder, rest: '' }, mounts);
  const isIn = ({ parent, mountPoint }: Mount): boolean => {
    const around = byId.get(parent);
    const point = around && placeIn(around, mountPoint);
    return point !== undefined && isWithin(point, place);
  };
  return mounts.filter(isIn).map(({ mountPoint }) => mountPoint);
}

/** Returns the place of an open folder as it is now; an error if it is not known. */
export function placeOf(folder: FileHandle): Place | Error {
  return unlessThrown(() => placeOfOpened({ handle: folder, rest: '' }, readMounts()));
}

/** Returns whether one of the places is the other, or within it. */
export function placesOverlap(one: Place, other: Place): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(place: Place, around: Place): boolean {
  const isComparable =
    place.device === around.device || (place.server !== undefined && place.server === around.server);
  return isComparable && pathWithin(around.path, place.path) !== undefined;
}

/**
 * Linux opens no longer path (PATH_MAX without the zero at its end). A volume can name a path of a megabyte,
 * and half a million tries would take minutes.
 */
const longestPath = 4_095;

/** Opens the path, or the longest part of it that exists: `/` always does. */
async function openPath(path: string): Promise<Opened> {
  let there = path.length <= longestPath ? path : posix.dirname(path.slice(0, longestPath + 1));
  for (;;) {
    try {
      const handle = await open(there, asPath);
      return { handle, rest: bytesOf(path.slice(there.length)) };
    } catch (error) {
      if (!nothingThere.includes(codeOf(error) ?? '')) {
        throw error;
      }
      there = posix.dirname(there);
    }
  }
}

function placesOfOpened(opened: Opened, mounts: readonly Mount[]): readonly Place[] {
  const below = opened.rest === '' ? mountsBelow(pathOf(opened.handle), mounts) : [];
  return [
    placeOfOpened(opened, mounts),
    ...below.map(({ device, server, root }) => ({ device, server, path: root })),
  ];
}

function placeOfOpened({ handle, rest }: Opened, mounts: readonly Mount[]): Place {
  const id = mountIdOf(handle.fd);
  const mount = mounts.find((each) => each.id === id);
  const path = pathOf(handle);
  const place = mount && placeIn(mount, path);
  if (place === undefined) {
    throw new Error(`"${path}" is in no mount of the mount table`);
  }
  return { ...place, path: posix.join(place.path, rest) };
}

/** Returns the place of a path that is in the mount; undefined if it is not. */
export function placeIn({ device, server, root, mountPoint }: Mount, path: string): Place | undefined {
  const within = pathWithin(mountPoint, path);
  return within === undefined ? undefined : { device, server, path: posix.join(root, within) };
}

function unlessThrown<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return asError(error);
  }
}

/** That others take long says nothing about where a path leads. */
function unlessNoTurn(error: unknown): Error {
  if (error instanceof NoTurnError) {
    throw error;
  }
  return asError(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
