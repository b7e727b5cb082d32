import { Dir, type Dirent } from 'node:fs';
import { jest } from '@jest/globals';

interface Reader {
  read(): Promise<Dirent | null>;
}

/**
 * Plays something when the next entry of a folder has been read, before the one who reads gets it.
 *
 * @returns takes that back, where none was read.
 */
export function atNextRead(play: () => void | Promise<void>): () => void {
  const folders: Reader = Dir.prototype;
  const read = jest.spyOn(folders, 'read').mockImplementationOnce(async function (this: Reader) {
    read.mockRestore();
    const entry = await this.read();
    await play();
    return entry;
  });
  return () => read.mockRestore();
}
