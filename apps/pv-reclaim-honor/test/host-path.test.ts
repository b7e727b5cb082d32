import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { createVolumeFolders } from '../src/in-tree/volume-folders.ts';
import { OvertakenError } from '../src/overtaken-error.ts';
import { slimVolume } from '../src/slim.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';

let folder: string;
let root: string;
let outside: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-host-path-'));
  root = join(folder, 'root');
  outside = join(folder, 'outside');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'precious'), 'data');
});

afterEach(async () => {
  // Whatever was asked for, what is outside is there.
  expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('data');
  expect(existsSync(root)).toBe(true);
  await rm(folder, { recursive: true });
});

const at = (path: string) => volume({ source: { hostPath: { path } } });
const remove = (path: string): Promise<void> =>
  hostPathPlugin(root, noOthers, answeredCalls).delete(at(path), atWill);

describe('deleted', () => {
  test('folder with files, folders and links -> gone, and what the links lead to is not', async () => {
    const path = join(root, 'a', 'v');
    await mkdir(join(path, 'deep', 'deeper'), { recursive: true });
    await writeFile(join(path, 'deep', 'deeper', 'file'), 'x');
    await symlink(outside, join(path, 'link-to-folder'));
    await symlink(join(outside, 'precious'), join(path, 'deep', 'link-to-file'));
    await symlink('/nonexistent', join(path, 'dangling'));
    await remove(path);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(root, 'a'))).toBe(true);
  });

  test('path with two slashes, and one at the end -> the same folder', async () => {
    await mkdir(join(root, 'v'));
    await remove(`${root}//v/`);
    expect(existsSync(join(root, 'v'))).toBe(false);
  });

  test('root reached through a link -> works: the root is trusted', async () => {
    await symlink(root, join(folder, 'link'));
    await mkdir(join(root, 'v'));
    await hostPathPlugin(join(folder, 'link'), noOthers, answeredCalls).delete(
      at(join(folder, 'link', 'v')),
      atWill,
    );
    expect(existsSync(join(root, 'v'))).toBe(false);
  });

  test.each([['folder'], ['folder on the way']])('missing %s -> done already', async (what) => {
    await remove(what === 'folder' ? join(root, 'v') : join(root, 'a', 'b', 'v'));
  });
});

describe('refused', () => {
  test.each([
    { name: 'the root itself', path: () => root, says: /--host-path-root itself/ },
    { name: 'the root itself, otherwise spelt', path: () => `${root}/./`, says: /--host-path-root itself/ },
    { name: '".." that leads out', path: () => `${root}/../outside`, says: /without "\.\."/ },
    { name: '".." that leads nowhere', path: () => `${root}/a/../v`, says: /without "\.\."/ },
    { name: 'a folder elsewhere', path: () => outside, says: /not below --host-path-root/ },
    { name: 'a folder whose name begins like the root', path: () => `${root}-2/v`, says: /not below/ },
    { name: 'a path that is not absolute', path: () => 'v', says: /absolute/ },
  ])('$name', async ({ path, says }) => {
    await expect(remove(path())).rejects.toThrow(says);
    expect(hostPathPlugin(root, noOthers, answeredCalls).canDelete(at(path()))).toBe(false);
  });

  test('volume that names its nodes -> stays: the same path here is another folder', async () => {
    const path = join(root, 'v');
    await mkdir(path);
    const term = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['other'] }] };
    const elsewhere = volume({
      source: { hostPath: { path }, nodeAffinity: { required: { nodeSelectorTerms: [term] } } },
    });
    const plugin = hostPathPlugin(root, noOthers, answeredCalls);
    expect(plugin.canDelete(elsewhere)).toBe(false);
    expect(plugin.canDelete(slimVolume.fromJson(elsewhere))).toBe(false);
    await expect(plugin.delete(elsewhere, atWill)).rejects.toThrow(/names its nodes/);
    expect(existsSync(path)).toBe(true);
  });

  test('a link out of the root -> link and its end stay', async () => {
    await symlink(outside, join(root, 'v'));
    await expect(remove(join(root, 'v'))).rejects.toThrow(/a link or a file/);
    expect(existsSync(join(root, 'v', 'precious'))).toBe(true);
  });

  test('a link on the way -> refused, even where it stays within the root', async () => {
    await mkdir(join(root, 'real', 'v'), { recursive: true });
    await symlink(join(root, 'real'), join(root, 'link'));
    await expect(remove(join(root, 'link', 'v'))).rejects.toThrow(/a link or a file/);
    expect(existsSync(join(root, 'real', 'v'))).toBe(true);
  });

  test('a file instead of a folder -> the file stays', async () => {
    await writeFile(join(root, 'v'), 'data');
    await expect(remove(join(root, 'v'))).rejects.toThrow(/a link or a file/);
    expect(await readFile(join(root, 'v'), 'utf8')).toBe('data');
  });

  test('root that is not there -> refused, not taken for a missing folder', async () => {
    await expect(
      hostPathPlugin(join(folder, 'nowhere'), noOthers, answeredCalls).delete(
        at(join(folder, 'nowhere', 'v')),
        atWill,
      ),
    ).rejects.toThrow(/can't be opened/);
  });
});

test('folder is renamed to where another volume is, after it was opened -> refused, and nothing is touched', async () => {
  // So does a FUSE file system for which names are equal in any case, when the other path is looked for.
  const [path, other] = [join(root, 'V'), join(root, 'v')];
  await mkdir(path);
  await writeFile(join(path, 'file'), 'data');
  const folders = createVolumeFolders(async function* () {
    await rename(path, other);
    yield at(path);
    yield volume({ name: 'other', source: { hostPath: { path: other } } });
  }, answeredCalls);
  const needsStorage = ({ metadata }: PersistentVolume) => Promise.resolve(metadata.name === 'other');
  await expect(
    hostPathPlugin(root, { ...noOthers, folders, needsStorage }, answeredCalls).delete(at(path), atWill),
  ).rejects.toThrow('volume other needs it');
  expect(existsSync(join(other, 'file'))).toBe(true);
});

describe('S1: folder is moved after the look at all folders, into that of a volume that is kept', () => {
  test.each([
    { what: 'it', from: 'v', to: 'kept/v', fileAt: 'kept/v/file' },
    { what: 'the folder around it', from: 'a', to: 'kept/a', fileAt: 'kept/a/v/file' },
  ])('$what -> what is in it stays', async ({ from, to, fileAt }) => {
    const path = join(root, from === 'v' ? 'v' : 'a/v');
    await mkdir(path, { recursive: true });
    await mkdir(join(root, 'kept'));
    await writeFile(join(path, 'file'), 'data');
    const look = createVolumeFolders(async function* () {
      await Promise.resolve();
      yield at(path);
      yield volume({ name: 'kept', uid: 'uid-of-kept', source: { hostPath: { path: join(root, 'kept') } } });
    }, answeredCalls);
    const folders: typeof look = async (folder, of) => {
      const found = await look(folder, of);
      await rename(join(root, from), join(root, to));
      return found;
    };
    const others = { ...noOthers, folders };
    await hostPathPlugin(root, others, answeredCalls).delete(at(path), atWill);
    expect(await readFile(join(root, fileAt), 'utf8')).toBe('data');
  });

  test('it, and another folder is put in its place -> refused, and both stay', async () => {
    const path = join(root, 'v');
    await mkdir(path);
    await writeFile(join(path, 'file'), 'old');
    const folders = async () => {
      await rename(path, join(root, 'moved'));
      await mkdir(path);
      await writeFile(join(path, 'file'), 'new');
      return [];
    };
    const plugin = hostPathPlugin(root, { ...noOthers, folders }, answeredCalls);
    await expect(plugin.delete(at(path), atWill)).rejects.toThrow('another folder was put in its place');
    expect(await readFile(join(root, 'moved', 'file'), 'utf8')).toBe('old');
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('new');
  });
});

test.each([
  { what: 'made anew under the same name', uid: 'another', resourceVersion: '9' },
  { what: 'changed since it was looked at', uid: 'uid-of-pv', resourceVersion: '9' },
])('the volume itself is $what, and needs its storage -> refused', async ({ uid, resourceVersion }) => {
  const path = join(root, 'v');
  await mkdir(path);
  const { metadata, ...rest } = at(path);
  const now = { ...rest, metadata: { ...metadata, uid, resourceVersion } };
  const others = {
    ...noOthers,
    folders: createVolumeFolders(async function* () {
      await Promise.resolve();
      yield now;
    }, answeredCalls),
    needsStorage: (other: PersistentVolume) => Promise.resolve(other === now),
  };
  await expect(hostPathPlugin(root, others, answeredCalls).delete(at(path), atWill)).rejects.toThrow(
    'volume pv needs it',
  );
  expect(existsSync(path)).toBe(true);
});

describe('P1: another volume of which it is not known where it is', () => {
  const unreadable = { volume: volume({ name: 'far' }), path: '/far', overlaps: new Error('EIO') };
  const beside = (isNeeded: boolean) =>
    hostPathPlugin(
      root,
      {
        folders: () => Promise.resolve([unreadable]),
        needsStorage: () => Promise.resolve(isNeeded),
        needsStorageInCache: () => false,
      },
      answeredCalls,
    ).delete(at(join(root, 'v')), atWill);

  test('it needs its storage -> refused, with its name and path', async () => {
    await mkdir(join(root, 'v'));
    await expect(beside(true)).rejects.toThrow(
      /volume far might need it: where its path "\/far" leads is not known: EIO/,
    );
    expect(existsSync(join(root, 'v'))).toBe(true);
  });

  test('it does not need its storage -> deleted', async () => {
    await mkdir(join(root, 'v'));
    await beside(false);
    expect(existsSync(join(root, 'v'))).toBe(false);
  });
});

test.each([
  { needy: [true], what: 'before the removal waits for its turn' },
  { needy: [false, true], what: 'while the removal waits for its turn' },
])('X1: volume over the folder needs it by the cache, $what -> nothing is removed', async ({ needy }) => {
  const path = join(root, 'v');
  await mkdir(path);
  await writeFile(join(path, 'file'), 'data');
  const asked: string[] = [];
  const others = {
    folders: () =>
      Promise.resolve([{ volume: volume({ name: 'linked' }), path: '/link', overlaps: true as const }]),
    needsStorage: () => Promise.resolve(false),
    needsStorageInCache: ({ metadata }: PersistentVolume) => needy[asked.push(metadata.name) - 1] ?? false,
  };
  await expect(hostPathPlugin(root, others, answeredCalls).delete(at(path), atWill)).rejects.toThrow(
    new OvertakenError('volume linked has changed since the folders were looked for'),
  );
  expect(asked).toEqual(needy.map(() => 'linked'));
  expect(await readFile(join(path, 'file'), 'utf8')).toBe('data');
});

test('folder exchanged for a link out of the root again and again meanwhile -> nothing outside is touched', async () => {
  const path = join(root, 'v');
  const spare = join(root, 'spare');
  let swapping = true;
  const swap = async (): Promise<void> => {
    while (swapping) {
      await rename(path, spare).catch(() => undefined);
      await symlink(outside, path).catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
      await rename(spare, path).catch(() => undefined);
    }
  };
  await mkdir(path);
  const swapper = swap();
  for (let round = 0; round < 100; round++) {
    await mkdir(join(path, 'deep'), { recursive: true }).catch(() => undefined);
    await remove(path).catch(() => undefined);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
  }
  swapping = false;
  await swapper;
}, 30_000);
