import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkNamedFile, readNamedFile } from '../../src/flags/read-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function made(kind: 'pipe' | 'hundred MiB' | 'text'): string {
  const path = join(folder, 'file');
  if (kind === 'pipe') {
    execFileSync('mkfifo', [path]);
  } else {
    writeFileSync(path, 'text');
  }
  if (kind === 'hundred MiB') {
    // Without a block on the disk.
    truncateSync(path, 100 * 1024 * 1024);
  }
  return path;
}

describe.each<{ name: string; read: (path: string) => unknown }>([
  { name: 'read', read: readNamedFile },
  { name: 'looked at', read: checkNamedFile },
])('$name', ({ read }) => {
  test('pipe that nobody writes to -> refused, and not waited for', () => {
    expect(() => read(made('pipe'))).toThrow('it is a pipe or a socket; name a file');
  });

  test('100 MiB -> refused', () => {
    expect(() => read(made('hundred MiB'))).toThrow('it has more than 16 MiB');
  });
});

test('file -> its bytes', () => {
  expect(readNamedFile(made('text')).toString()).toBe('text');
});

test('device without an end -> refused', () => {
  expect(() => readNamedFile('/dev/zero')).toThrow('it has more than 16 MiB');
});

test('/dev/null -> empty', () => {
  expect(readNamedFile('/dev/null')).toHaveLength(0);
});

test('not there -> left to whoever reads it', () => {
  expect(() => checkNamedFile(join(folder, 'none'))).not.toThrow();
});
