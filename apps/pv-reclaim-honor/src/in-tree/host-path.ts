import { constants, readlinkSync } from 'node:fs';
import { open, readdir, realpath, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { isAbsolute, normalize, relative } from 'node:path';
import type { PersistentVolume } from '@holdfast/core';
import type { InTreePlugin } from './in-tree-plugin.ts';
import { mountIdOf, mountPointsBelow, readMounts } from './mount-table.ts';

/*
 * Deletes the folders of hostPath volumes. Our own, because fs.rm and every package built on it work by path: between the check of
 * a path and its use, somebody can put a link there, and a controller that runs as root then empties another folder. Here every
 * folder is opened from its parent's handle (/proc/self/fd, Linux) and never through a link, so that what is deleted is what was
 * checked.
 */

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * The plugin `kubernetes.io/host-path`, for the node that this process runs on.
 *
 * It deletes folders below the root only; it refuses the root itself, paths with `..`, links on the way and at the end, files, and
 * folders that are, or within which there is, a mount of any kind that this process sees. A folder that is not there counts as
 * deleted. Links within the folder are removed, not followed. Linux only: elsewhere every deletion is refused.
 *
 * @param root is trusted: the path to it may lead through links.
 */
export function hostPathPlugin(root: string): InTreePlugin {
  return {
    canDelete: ({ spec }) => spec?.hostPath !== undefined && isBelow(root, spec.hostPath.path),
    delete: (volume, signal) => deleteBelow(root, pathOf(volume), signal),
  };
}

function pathOf({ spec, metadata }: PersistentVolume): string {
  const path = spec?.hostPath?.path;
  if (path === undefined) {
    throw new Error(`volume ${metadata.name} is no hostPath volume`);
  }
  return path;
}

async function deleteBelow(root: string, path: string, signal: AbortSignal): Promise<void> {
  if (process.platform !== 'linux') {
    throw new Error(`"${path}" is not deleted: hostPath volumes are deleted on Linux only`);
  }
  const steps = stepsBelow(root, path);
  const [name] = steps.slice(-1);
  if (name === undefined) {
    throw new Error(`"${path}" is not deleted: it is --host-path-root itself; only folders below it are`);
  }
  let folder: FileHandle;
  try {
    folder = await open(await realpath(root), asFolder);
  } catch (error) {
    throw new Error(`"${path}" is not deleted: --host-path-root "${root}" can't be opened`, { cause: error });
  }
  try {
    const mount = mountIdOf(folder.fd);
    for (const step of steps.slice(0, -1)) {
      const next = await openWithin(folder, step, mount, path);
      if (next === undefined) {
        return;
      }
      await folder.close();
      folder = next;
    }
    const [mountPoint] = mountPointsBelow(
      `${pathOfOpen(folder).replace(/\/$/, '')}/${bytesOf(name)}`,
      readMounts(),
    );
    if (mountPoint !== undefined) {
      throw mountedAt(path, textOf(mountPoint));
    }
    await removeFolder(folder, name, mount, path, signal);
  } finally {
    await folder.close();
  }
}

function isBelow(root: string, path: string): boolean {
  try {
    return stepsBelow(root, path).length > 0;
  } catch {
    return false;
  }
}

/** The names on the way from the root to the path. */
function stepsBelow(root: string, path: string): readonly string[] {
  if (!isAbsolute(path) || path.split('/').includes('..') || path.includes('\0')) {
    throw new Error(`"${path}" is not deleted: a hostPath must be absolute and without ".."`);
  }
  const below = relative(normalize(root), normalize(path));
  if (below === '..' || below.startsWith('../') || isAbsolute(below)) {
    throw new Error(`"${path}" is not deleted: it is not below --host-path-root "${root}"`);
  }
  return below.split('/').filter((step) => step !== '');
}

/** The folder of that name in an open one; undefined when there is nothing of that name. */
async function openWithin(
  parent: FileHandle,
  name: string,
  mount: number,
  path: string,
): Promise<FileHandle | undefined> {
  let folder: FileHandle;
  try {
    folder = await open(within(parent, name), asFolder);
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
        return undefined;
      case 'ENOTDIR':
      case 'ELOOP':
        throw new Error(
          `"${path}" is not deleted: "${name}" is a link or a file; every part of a hostPath must be a folder`,
          { cause: error },
        );
      default:
        throw error;
    }
  }
  if (mountIdOf(folder.fd) !== mount) {
    const mountPoint = textOf(pathOfOpen(folder));
    await folder.close();
    throw mountedAt(path, mountPoint);
  }
  return folder;
}

function mountedAt(path: string, mountPoint: string): Error {
  return new Error(`"${path}" is not deleted: something is mounted at "${mountPoint}"; unmount it first`);
}

async function removeFolder(
  parent: FileHandle,
  name: string,
  mount: number,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = await openWithin(parent, name, mount, path);
  if (folder === undefined) {
    return;
  }
  try {
    for (const entry of await readdir(self(folder), { withFileTypes: true })) {
      signal.throwIfAborted();
      if (entry.isDirectory()) {
        await removeFolder(folder, entry.name, mount, path, signal);
      } else {
        await ignoreMissing(unlink(within(folder, entry.name)));
      }
    }
  } finally {
    await folder.close();
  }
  await ignoreMissing(rmdir(within(parent, name)));
}

/** The path of an open folder as the mount table would have it, one character for each byte. */
function pathOfOpen(folder: FileHandle): string {
  return readlinkSync(self(folder), 'latin1');
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function self(folder: FileHandle): string {
  return `/proc/self/fd/${String(folder.fd)}`;
}

function within(folder: FileHandle, name: string): string {
  return `${self(folder)}/${name}`;
}

async function ignoreMissing(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw error;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}
