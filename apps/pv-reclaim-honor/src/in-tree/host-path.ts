import { realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, normalize, relative } from 'node:path';
import type { PersistentVolume } from '@holdfast/core';
import type { InTreePlugin } from './in-tree-plugin.ts';
import { mountIdOf } from './mount-table.ts';
import { bytesOf, codeOf, openFolder, pathOf, within } from './open-folder.ts';
import { mountedAt, removeFolder } from './remove-folder.ts';

/*
 * Deletes the folders of hostPath volumes. Between the check of a path and its use somebody can put a link there, and a controller that
 * runs as root then empties another folder: so every folder is opened from its parent's handle and never through a link, and what is
 * deleted is what was checked.
 */

/** Makes the error of a deletion that must not or can't be. */
type Refusal = (why: string, cause?: unknown) => Error;

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
    delete: (volume, signal) => deleteBelow(root, hostPathOf(volume), signal),
  };
}

function hostPathOf({ spec, metadata }: PersistentVolume): string {
  const path = spec?.hostPath?.path;
  if (path === undefined) {
    throw new Error(`volume ${metadata.name} is no hostPath volume`);
  }
  return path;
}

async function deleteBelow(root: string, path: string, signal: AbortSignal): Promise<void> {
  const refusal = refusalOf(path);
  if (process.platform !== 'linux') {
    throw refusal('hostPath volumes are deleted on Linux only, where mounts can be told apart');
  }
  const steps = stepsBelow(root, path);
  const name = steps.at(-1);
  if (name === undefined) {
    throw refusal('it is --host-path-root itself; only folders below it are');
  }
  const parent = await openOnTheWay(await openRoot(root, refusal), steps.slice(0, -1), refusal);
  try {
    const folder = parent && (await openStep(parent, name, refusal));
    try {
      if (parent !== undefined && folder !== undefined) {
        await removeFolder({ parent, name: bytesOf(name), folder }, { signal, refusal });
      }
    } finally {
      await folder?.close();
    }
  } finally {
    await parent?.close();
  }
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

/** The names on the way from the root to the path. */
function stepsBelow(root: string, path: string): readonly string[] {
  const refusal = refusalOf(path);
  if (!isAbsolute(path) || path.split('/').includes('..') || path.includes('\0')) {
    throw refusal('a hostPath must be absolute and without ".."');
  }
  const below = relative(normalize(root), normalize(path));
  if (below === '..' || below.startsWith('../') || isAbsolute(below)) {
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

/** The last of the folders on the way; undefined when one of them is not there. Those before it are closed. */
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

/** The folder of that name in an open one, in the same mount; undefined when there is nothing of that name. */
async function openStep(parent: FileHandle, name: string, refusal: Refusal): Promise<FileHandle | undefined> {
  let folder: FileHandle;
  try {
    folder = await openFolder(within(parent, bytesOf(name)));
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
        return undefined;
      case 'ENOTDIR':
      case 'ELOOP':
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
