import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  bytesOf,
  codeOf,
  openFolder,
  pathBelow,
  pathOf,
  pathWithin,
  self,
  textOf,
  within,
} from '../src/in-tree/open-folder.ts';

test.each([
  ['/', 'a', '/a'],
  ['/a', 'b', '/a/b'],
])('in %s, named %s -> %s', (folder, name, path) => {
  expect(pathBelow(folder, name)).toBe(path);
});

describe('what is left of a path', () => {
  test.each([
    ['/a', '/a', ''],
    ['/a', '/a/b/c', 'b/c'],
    ['/', '/', ''],
    ['/', '/a', 'a'],
    ['/a', '/ab', undefined],
    ['/a', '/', undefined],
    ['/a', '/b/a/', undefined],
  ])('below %s, %s -> %j', (folder, path, rest) => {
    expect(pathWithin(folder, path)).toBe(rest);
  });
});

test('letters beyond ASCII -> a character for each byte, and back', () => {
  expect(bytesOf('ü')).toBe('\xc3\xbc');
  expect(textOf('\xc3\xbc')).toBe('ü');
});

test.each([
  [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
  [{ code: 7 }, '7'],
  [new Error('x'), undefined],
  ['ENOENT', undefined],
  [null, undefined],
  [undefined, undefined],
])('%j is thrown -> code %s', (error, code) => {
  expect(codeOf(error)).toBe(code);
});

(process.platform === 'linux' ? test : test.skip)(
  'open folder of a name that is no UTF-8 -> what is in it is reached, and where it stands is known',
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-open-')));
    const path = Buffer.from(`${folder}/\xff`, 'latin1');
    await mkdir(path);
    const opened = await openFolder(path);
    await writeFile(within(opened, '\xfe'), 'data');
    expect(await readFile(Buffer.concat([path, Buffer.from('/\xfe', 'latin1')]), 'utf8')).toBe('data');
    expect(pathOf(opened)).toBe(`${folder}/\xff`);
    expect(self(opened)).toBe(`/proc/self/fd/${String(opened.fd)}`);
    await opened.close();
    await rm(folder, { recursive: true });
  },
);
