import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those in which it is. `mkdir` of Node with `recursive` never ends where the system
 * answers ENOENT although the outer folder exists, as in /proc.
 *
 * @throws Error of the file system.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) {
      return;
    }
    const outer = dirname(path);
    if (outer === path || (await isFolder(outer))) {
      throw error;
    }
    await makeFolder(outer);
    await makeFolder(path);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
