import { open, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { mountIdOf, mountsBelow, readMounts, type Mount } from './mount-table.ts';
import { bytesOf, codeOf, pathOf, pathWithin } from './open-folder.ts';
import type { FileCalls } from './file-calls.ts';
import { NoTurnError } from './line.ts';

/*
 * Where a path really leads. The same folder has many paths by links and by bind mounts, but one place in one file system.
 */

/** A place in a file system, whatever links and mounts lead there. */
export interface Place {
  /** The file system: `major:minor`. */
  readonly device: string;
  /** Of NFS the server; two file systems of one server may show the same folder. */
  readonly server?: string | undefined;
  /** Within the file system, or on the server, one character for each byte. */
  readonly path: string;
}

/** `O_PATH` of Linux, which Node does not name: opens whatever there is without reading it, or the right to. */
const asPath = 0o10000000;
/** Held open at once, for one look at the mount table and at where all the open folders are. */
const openAtOnce = 256;

/** What there is nothing for: also what is called as nothing can be. */
const nothingThere = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

/** What has been opened of a path, and what of it is not there. */
interface Opened {
  readonly handle: FileHandle;
  readonly rest: string;
}

/** What a path shows. */
export interface Shown {
  /** That to which it leads, and what is mounted below. An error: that is not known. */
  readonly places: readonly Place[] | Error;
  /** The places of the folders that were open meanwhile, at the same moment. An error: that is not known. */
  readonly open: ReadonlyMap<FileHandle, Place | Error>;
}

/**
 * The places that each path shows, in the order of the paths. Where the end of a path is not there, its place is in the last folder that
 * is. It is not known, for instance, where a file system does not answer, or not as it should.
 *
 * A folder that is open changes its place when it is renamed, or, where names are equal in any case and the file system and not the
 * kernel knows that (FUSE), when somebody comes by another spelling. So places can be compared only as they were at one moment.
 *
 * @param open folders that are open, which may become more or fewer meanwhile.
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
      // While a file is open, the number of its mount is no other's.
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
 * What is mounted in a folder that is open, also where the folder is shown by another mount only: nothing there can be removed.
 *
 * @throws Error when that is not known.
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

/** Whether one of the places is the other, or within it. */
export function placesOverlap(one: Place, other: Place): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(place: Place, around: Place): boolean {
  const isComparable =
    place.device === around.device || (place.server !== undefined && place.server === around.server);
  return isComparable && pathWithin(around.path, place.path) !== undefined;
}

/** Opens the path, or the longest part of it that is there: `/` always is. */
async function openPath(path: string): Promise<Opened> {
  let there = path;
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

/** The place of a path that is in the mount; undefined when it is not. */
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

/** That others take long says nothing of where a path leads. */
function unlessNoTurn(error: unknown): Error {
  if (error instanceof NoTurnError) {
    throw error;
  }
  return asError(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
