import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { mkdtemp, realpath, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { NoAnswerError, type FileCalls } from '../src/in-tree/file-calls.ts';
import { bytesOf, openFolder } from '../src/in-tree/open-folder.ts';
import type { Place } from '../src/in-tree/place.ts';
import { createVolumeFolders } from '../src/in-tree/volume-folders.ts';
import { answeredCalls, volume } from './objects.ts';
import { createMounter, mountingMissing } from './real-mounts.ts';

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(`SKIPPED, folders with mounts: ${missing}. Run these tests as root on Linux.\n`);
}

let root: string;
let opened: FileHandle;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-folders-')));
  mkdirSync(join(root, 'around/v/within'), { recursive: true });
  mkdirSync(join(root, 'other'));
  symlinkSync('around/v', join(root, 'link'));
  opened = await openFolder(join(root, 'around/v'));
});

afterEach(async () => {
  await opened.close();
  await rm(root, { recursive: true });
});

const hostPath = (path: unknown, name = 'other'): PersistentVolume =>
  volume({ name, source: { hostPath: { path: path as string } } });

const foldersOf = (
  volumes: readonly PersistentVolume[],
  calls: FileCalls = answeredCalls,
  placeOfOpen?: (folder: FileHandle) => Place | Error,
) =>
  createVolumeFolders(
    async function* () {
      yield* await Promise.resolve(volumes);
    },
    calls,
    placeOfOpen,
  );

/** The names of the volumes that are found beside the one at `around/v`, and what is said of each. */
async function found(volumes: readonly PersistentVolume[], calls?: FileCalls): Promise<readonly unknown[]> {
  const all = await foldersOf(volumes, calls)(opened, hostPath(join(root, 'around/v'), 'deleted'));
  return all.map(({ volume: { metadata }, path, overlaps, unreadable }) => ({
    name: metadata.name,
    path: path?.replace(root, ''),
    overlaps: overlaps instanceof Error ? overlaps.message : overlaps,
    unreadable: unreadable?.why,
  }));
}

describe('a volume beside an open folder', () => {
  test.each(['/around/v', '/around/v/within', '/around', '/around/v/nothing', '/link', '/around//./v'])(
    'hostPath at %s -> overlaps',
    async (path) => {
      expect(await found([hostPath(`${root}${path}`)])).toEqual([
        { name: 'other', path, overlaps: true, unreadable: undefined },
      ]);
    },
  );

  test('local, at the same path -> overlaps', async () => {
    const local = volume({ name: 'other', source: { local: { path: join(root, 'link') } } });
    expect(await found([local])).toMatchObject([{ name: 'other', overlaps: true }]);
  });

  test.each<{ what: string; other: () => PersistentVolume }>([
    { what: 'hostPath elsewhere', other: () => hostPath(join(root, 'other')) },
    { what: 'hostPath whose name begins alike', other: () => hostPath(join(root, 'around/v2')) },
    { what: 'CSI', other: () => volume({ name: 'other' }) },
    {
      what: 'NFS, of the same path',
      other: () => volume({ name: 'other', source: { nfs: { server: 's', path: join(root, 'around/v') } } }),
    },
    { what: 'of no known source', other: () => volume({ name: 'other', source: {} }) },
  ])('$what -> does not overlap', async ({ other }) => {
    expect(await found([other()])).toStrictEqual([]);
  });

  test('many -> those that overlap', async () => {
    const names = await found([
      hostPath(join(root, 'other'), 'a'),
      hostPath(join(root, 'around'), 'b'),
      hostPath(join(root, 'other/b'), 'c'),
      hostPath(join(root, 'link/within'), 'd'),
    ]);
    expect(names).toMatchObject([{ name: 'b' }, { name: 'd' }]);
  });

  (missing === undefined ? test : test.skip)('the folder is mounted within it -> overlaps', async () => {
    const mounter = createMounter();
    mkdirSync(join(root, 'other/mnt'));
    mounter.bind(join(root, 'around/v'), join(root, 'other/mnt'));
    expect(await found([hostPath(join(root, 'other'))])).toMatchObject([{ overlaps: true }]);
    mounter.unmountAll();
  });
});

describe('a volume of an NFS server beside an open folder in the mount of nas:/k8s', () => {
  const beside = async (nfs: object, place: Place | Error) => {
    const other = volume({ name: 'other', source: { nfs: nfs as { server: string; path: string } } });
    const deleted = hostPath(join(root, 'around/v'), 'deleted');
    const all = await foldersOf([other], answeredCalls, () => place)(opened, deleted);
    return all.map(({ overlaps }) => (overlaps instanceof Error ? overlaps.message : overlaps));
  };
  const inBytes = { device: '0:40', server: 'nas', path: `/k8s/${bytesOf('ü')}/v` };

  test.each<{ what: string; nfs: object; place: Place | Error; overlaps: readonly unknown[] }>([
    {
      what: 'of the same folder',
      nfs: { server: 'NAS', path: '/k8s/ü/v/' },
      place: inBytes,
      overlaps: [true],
    },
    {
      what: 'of a folder within',
      nfs: { server: 'nas', path: '/k8s/ü/v/a' },
      place: inBytes,
      overlaps: [true],
    },
    {
      what: 'of the folder around',
      nfs: { server: 'nas', path: '/k8s/../k8s' },
      place: inBytes,
      overlaps: [true],
    },
    { what: 'of all of the server', nfs: { server: 'nas', path: '/' }, place: inBytes, overlaps: [true] },
    { what: 'whose path can not be read', nfs: { server: 'nas', path: 7 }, place: inBytes, overlaps: [true] },
    { what: 'of another folder', nfs: { server: 'nas', path: '/k8s/ü/v2' }, place: inBytes, overlaps: [] },
    { what: 'of another server', nfs: { server: 'nas2', path: '/k8s/ü/v' }, place: inBytes, overlaps: [] },
    {
      what: 'whose server can not be read',
      nfs: { server: 7, path: '/k8s' },
      place: inBytes,
      overlaps: ["its server can't be read"],
    },
    {
      what: 'while the place of the open folder is not known',
      nfs: { server: 'nas', path: '/k8s' },
      place: new Error('not known'),
      overlaps: ['not known'],
    },
  ])('$what -> $overlaps', async ({ nfs, place, overlaps }) => {
    expect(await beside(nfs, place)).toEqual(overlaps);
  });
});

test('the folder was moved since it was opened -> volumes where it was by its path and where it is now overlap', async () => {
  renameSync(join(root, 'around/v'), join(root, 'other/v'));
  expect(
    await found([
      hostPath(join(root, 'around/v/within'), 'where it was'),
      hostPath(join(root, 'other'), 'where it is'),
      hostPath(join(root, 'third'), 'elsewhere'),
    ]),
  ).toMatchObject([
    { name: 'where it was', overlaps: true },
    { name: 'where it is', overlaps: true },
  ]);
});

describe('of which it is not known whether it overlaps', () => {
  test('path that can not be read -> said so', async () => {
    expect(await found([hostPath(7)])).toEqual([
      {
        name: 'other',
        path: undefined,
        overlaps: "it can't be read",
        unreadable: expect.stringContaining('path'),
      },
    ]);
  });

  test('spec that can not be read -> said so', async () => {
    const odd: unknown = { ...volume({ name: 'odd' }), spec: 'x' };
    expect(await found([odd as PersistentVolume])).toMatchObject([
      { name: 'odd', overlaps: "it can't be read" },
    ]);
  });

  test('something else of a volume that overlaps can not be read -> said so too', async () => {
    const { spec, ...rest } = hostPath(join(root, 'around'));
    const odd: unknown = { ...rest, spec: { ...spec, claimRef: { uid: 7 } } };
    expect(await found([odd as PersistentVolume])).toMatchObject([
      { overlaps: true, unreadable: expect.any(String) },
    ]);
  });

  test('file system that does not answer -> its error', async () => {
    const calls: FileCalls = { make: () => Promise.reject(new NoAnswerError('silent')) };
    expect(await found([hostPath(join(root, 'other'))], calls)).toMatchObject([{ overlaps: 'silent' }]);
  });

  test('where the open folder is -> any might overlap it', async () => {
    const closed = await openFolder(join(root, 'around'));
    await closed.close();
    const [other] = await foldersOf([hostPath(join(root, 'other'))])(closed, hostPath(join(root, 'around')));
    expect(other?.overlaps).toBeInstanceOf(Error);
  });
});

test('answered -> the folder is not looked for any more', async () => {
  let looks = 0;
  const counted = {
    get fd() {
      looks += 1;
      return opened.fd;
    },
  } as FileHandle;
  const folders = foldersOf([hostPath(join(root, 'other'))]);
  await folders(counted, hostPath(join(root, 'around/v')));
  const before = looks;
  await folders(opened, hostPath(join(root, 'around/v')));
  expect(before).toBeGreaterThan(0);
  expect(looks).toBe(before);
});
