import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { pathWithin } from './open-folder.ts';

/*
 * The mounts that this process sees. A device number does not tell them apart: a bind mount has that of the file system which it shows
 * again at another place. The number of a mount does, and Linux names it for each open file. Paths are strings of one character for
 * each byte (latin1), since a file name need not be UTF-8.
 */

/** A line of /proc/self/mountinfo, as far as it is read here. */
export interface Mount {
  readonly id: number;
  /** The mount that has the mount point. */
  readonly parent: number;
  /** The file system: `major:minor`, one for all mounts of it. */
  readonly device: string;
  /** The folder of the file system that is shown; `/` unless it is a bind mount, or a part such as a subvolume. Of NFS, the folder of the server. */
  readonly root: string;
  /** Of NFS the server, as it is named in the mount: what it exports may be several file systems here; undefined of every other. */
  readonly server: string | undefined;
  /** Where it is shown. */
  readonly mountPoint: string;
}

/**
 * The mounts as they are now. Reads synchronously: procfs answers from memory, and nothing can change between two reads in a row.
 *
 * @throws Error when there is no procfs.
 */
export function readMounts(): readonly Mount[] {
  const table = readFileSync('/proc/self/mountinfo', 'latin1');
  if (last?.table !== table) {
    last = { table, mounts: parseMounts(table) };
  }
  return last.mounts;
}

/** It is read for each of thousands of paths, and seldom changes. */
let last: { readonly table: string; readonly mounts: readonly Mount[] } | undefined;

/**
 * @param table in the form of proc_pid_mountinfo(5): `ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [TAG]... - TYPE SOURCE OPTIONS`. NFS
 *   writes `/` for each root, also of a bind mount, and has the folder in the source instead (`nfs_show_path` and `nfs_show_devname` of Linux).
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

/** What is mounted below a folder, at the folder itself excluded. */
export function mountsBelow(folder: string, mounts: readonly Mount[]): readonly Mount[] {
  const prefix = folder === '/' ? folder : `${folder}/`;
  return mounts.filter(
    ({ mountPoint }) => mountPoint.length > prefix.length && mountPoint.startsWith(prefix),
  );
}

/** Where the mount is shown that has a path, by its text: links may lead elsewhere. */
export function mountPointOf(path: string, mounts: readonly Mount[]): string {
  return mounts
    .map(({ mountPoint }) => mountPoint)
    .filter((mountPoint) => pathWithin(mountPoint, path) !== undefined)
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '/');
}

/**
 * The number of the mount through which a file was opened.
 *
 * @throws Error when Linux does not name it.
 */
export function mountIdOf(fd: number): number {
  return mountIdIn(readFileSync(`/proc/self/fdinfo/${String(fd)}`, 'latin1'));
}

/** The same, by the text of its file in /proc/self/fdinfo. */
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
