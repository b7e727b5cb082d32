import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { pathWithin } from './open-folder.ts';

/*
 * The mounts that this process sees. A device number does not distinguish them: a bind mount has that of the
 * file system that it shows at another place. The number of a mount does, and Linux reports it for each open
 * file. Paths are strings with one character for each byte (latin1), since a file name need not be UTF-8.
 */

/** The fields of a line of /proc/self/mountinfo that are used here. */
export interface Mount {
  readonly id: number;
  /** The mount that contains the mount point. */
  readonly parent: number;
  /** The file system as `major:minor`, the same for all of its mounts. */
  readonly device: string;
  /**
   * The folder of the file system that is shown: `/`, unless it is a bind mount or a part such as a
   * subvolume. For NFS, the folder on the server.
   */
  readonly root: string;
  /**
   * For NFS the server as named in the mount, whose exports can be several file systems here; otherwise
   * undefined.
   */
  readonly server: string | undefined;
  /** The path at which it is mounted. */
  readonly mountPoint: string;
}

/**
 * Returns the mounts as they are now. It reads synchronously: procfs answers from memory, and nothing can
 * change between two consecutive reads.
 *
 * @throws Error if there is no procfs.
 */
export function readMounts(): readonly Mount[] {
  const table = readFileSync('/proc/self/mountinfo', 'latin1');
  if (last?.table !== table) {
    last = { table, mounts: parseMounts(table) };
  }
  return last.mounts;
}

/** The last parsed table. It is read for each of thousands of paths, and seldom changes. */
let last: { readonly table: string; readonly mounts: readonly Mount[] } | undefined;

/**
 * Parses the mount table.
 *
 * @param table in the form of proc_pid_mountinfo(5): `ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [TAG]...
 *   - TYPE SOURCE OPTIONS`. For NFS every root is `/`, even of a bind mount, and the source contains the
 *   folder (`nfs_show_path` and `nfs_show_devname` of Linux).
 */
export function parseMounts(table: string): readonly Mount[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', parent = '', device = '', root = '', mountPoint = '', ...rest] = line.split(' ');
      const [type = '', source = ''] = rest.slice(rest.indexOf('-') + 1);
      const [, server, folder] =
        type === 'nfs' || type === 'nfs4' ? (nfsSource.exec(unescape(source)) ?? []) : [];
      return {
        id: Number(id),
        parent: Number(parent),
        device,
        root: folder === undefined ? unescape(root) : posix.resolve(folder),
        mountPoint: unescape(mountPoint),
        server: server?.toLowerCase(),
      };
    });
}

/** `SERVER:/FOLDER` */
const nfsSource = /^(.+?):(\/.*)/s;

/** Returns the mounts below a folder, excluding one at the folder itself. */
export function mountsBelow(folder: string, mounts: readonly Mount[]): readonly Mount[] {
  const prefix = folder === '/' ? folder : `${folder}/`;
  return mounts.filter(
    ({ mountPoint }) => mountPoint.length > prefix.length && mountPoint.startsWith(prefix),
  );
}

/** Returns the mount point of the mount that has a path, judged by its text: links might lead elsewhere. */
export function mountPointOf(path: string, mounts: readonly Mount[]): string {
  return mounts
    .map(({ mountPoint }) => mountPoint)
    .filter((mountPoint) => pathWithin(mountPoint, path) !== undefined)
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '/');
}

/**
 * Returns the number of the mount through which a file was opened.
 *
 * @throws Error if Linux does not report it.
 */
export function mountIdOf(fd: number): number {
  return mountIdIn(readFileSync(`/proc/self/fdinfo/${String(fd)}`, 'latin1'));
}

/** Returns the same from the text of the file in /proc/self/fdinfo. */
export function mountIdIn(text: string): number {
  const id = /\nmnt_id:\t(\d+)/.exec(text)?.[1];
  if (id === undefined) {
    throw new Error('mounts can\'t be told apart: /proc/self/fdinfo has no "mnt_id"');
  }
  return Number(id);
}

/** Spaces, tabs, line ends and backslashes are written as three octal digits. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
