import fs, { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { entriesOf } from '../src/in-tree/folder-entries.ts';

/* With a real file system that reports no types: remove-folder.test.ts, where this process can mount one. */

test('Node has read an entry of an unknown type -> counts as a file; nobody waits for its type', async () => {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-entries-'));
  const folder = await open(path);
  const waits = jest.spyOn(fs, 'lstatSync');
  try {
    const entries = await entriesOf(folder);
    (entries as { processReadResult?: (path: string, read: unknown[]) => void }).processReadResult?.(path, [
      'grÃ¶Ã\u009fe',
      0,
    ]);
    const entry = await entries.read();
    await entries.close();
    expect(entry?.name).toBe('grÃ¶Ã\u009fe');
    expect(entry?.isFile()).toBe(true);
    expect(waits).not.toHaveBeenCalled();
  } finally {
    waits.mockRestore();
    await folder.close();
    rmSync(path, { recursive: true });
  }
});
