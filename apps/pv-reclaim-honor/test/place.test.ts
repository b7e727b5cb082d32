import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, type FileHandle } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { FileCalls } from '../src/in-tree/file-calls.ts';
import { NoTurnError } from '../src/in-tree/line.ts';
import { bytesOf, openFolder } from '../src/in-tree/open-folder.ts';
import { mountPointsIn, placesShownAt, type Place } from '../src/in-tree/place.ts';
import { answeredCalls } from './objects.ts';
import { openHandlesBelow } from './open-handles.ts';
import { createMounter, mountingMissing, type Mounter } from './real-mounts.ts';

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(`SKIPPED, places in mounts: ${missing}. Run these tests as root on Linux.\n`);
}
const mounting = missing === undefined ? describe : describe.skip;

let folder: string;
let handle: FileHandle;
let mounter: Mounter;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-place-')));
  handle = await openFolder(folder);
  mounter = createMounter();
});

afterEach(async () => {
  mounter.unmountAll();
  await handle.close();
  expect(openHandlesBelow(folder)).toStrictEqual([]);
  await rm(folder, { recursive: true });
});

const shownAt = async (path: string, calls: FileCalls = answeredCalls) => {
  const [shown, ...more] = await placesShownAt([path], [handle], calls);
  expect(more).toStrictEqual([]);
  return shown?.places;
};

/** The place of what has this name, a character for each byte, in the test's own folder. */
const placeOf = async (name: string): Promise<Place> => {
  const [shown] = await placesShownAt([folder], [handle], answeredCalls);
  const place = shown?.open.get(handle);
  if (place === undefined || place instanceof Error) {
    throw new Error('the folder of the test has no place', { cause: place });
  }
  return { ...place, path: name === '' ? place.path : `${place.path}/${name}` };
};

describe('a path -> its place', () => {
  test.each<{ what: string; path: string; place: string; make?: () => void }>([
    { what: 'the folder itself', path: '', place: '' },
    { what: 'folder', path: '/a', place: 'a', make: () => mkdirSync(join(folder, 'a')) },
    {
      what: 'folder of a name beyond ASCII',
      path: '/ü',
      place: bytesOf('ü'),
      make: () => mkdirSync(join(folder, 'ü')),
    },
    {
      what: 'link to a folder',
      path: '/link/b',
      place: 'a/b',
      make: () => {
        mkdirSync(join(folder, 'a'));
        symlinkSync('a', join(folder, 'link'));
      },
    },
    {
      what: 'named pipe, which nobody writes to',
      path: '/pipe',
      place: 'pipe',
      make: () => execFileSync('mkfifo', [join(folder, 'pipe')]),
    },
    { what: 'nothing of that name', path: '/nothing/b', place: 'nothing/b' },
    { what: 'nothing of that name, beyond ASCII', path: '/nothing/ü', place: `nothing/${bytesOf('ü')}` },
    {
      what: 'nothing, since a file is on the way',
      path: '/file/b',
      place: 'file/b',
      make: () => writeFileSync(join(folder, 'file'), ''),
    },
    {
      what: 'nothing, since a link leads to itself',
      path: '/loop/b',
      place: 'loop/b',
      make: () => symlinkSync('loop', join(folder, 'loop')),
    },
    { what: 'a name that is too long', path: `/${'n'.repeat(256)}`, place: 'n'.repeat(256) },
    { what: 'a name that none can have', path: '/a\0b', place: 'a\0b' },
  ])('$what', async ({ path, place, make }) => {
    make?.();
    expect(await shownAt(`${folder}${path}`)).toEqual([await placeOf(place)]);
  });

  test('socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    expect(await shownAt(`${folder}/socket`)).toEqual([await placeOf('socket')]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('path far longer than Linux opens -> the rest below what there is', async () => {
    mkdirSync(join(folder, 'a'));
    const rest = '/b'.repeat(500_000);
    expect(await shownAt(`${folder}/a${rest}`)).toEqual([await placeOf(`a${rest}`)]);
  });

  test('path without a slash at its beginning -> as if it had one', async () => {
    expect(await shownAt(folder.slice(1))).toEqual([await placeOf('')]);
  });

  test('257 paths -> the place of each, in their order, and an open folder moved meanwhile where it then is', async () => {
    mkdirSync(join(folder, 'a'));
    const opened = await openFolder(join(folder, 'a'));
    const names = Array.from({ length: 257 }, (_, at) => String(at));
    let asked = 0;
    const shown = await placesShownAt(
      names.map((name) => join(folder, name)),
      [opened],
      {
        make: (path, row, options) => {
          asked += 1;
          if (asked === 257) {
            renameSync(join(folder, 'a'), join(folder, 'b'));
          }
          return answeredCalls.make(path, row, options);
        },
      },
    );
    const place = await placeOf('');
    const at = (name: string) => ({ ...place, path: `${place.path}/${name}` });
    expect(shown.map(({ places }) => places)).toEqual(names.map((name) => [at(name)]));
    expect(shown.map(({ open }) => open.get(opened))).toEqual(
      names.map((_, index) => at(index < 256 ? 'a' : 'b')),
    );
    await opened.close();
  });
});

describe('a path whose file system does not answer', () => {
  const failing = (how: () => Promise<never>): FileCalls => ({ make: how });

  test('-> its error in place of the places', async () => {
    const silent = new Error('silent');
    expect(
      await shownAt(
        folder,
        failing(() => Promise.reject(silent)),
      ),
    ).toBe(silent);
  });

  test('with what is no error -> an error that says it', async () => {
    const text = 'silent' as unknown as Error;
    const [shown] = await placesShownAt([folder], [], { make: () => Promise.reject(text) });
    expect(shown?.places).toEqual(new Error('silent'));
  });

  test('after all -> what was opened is closed', async () => {
    const late: unknown[] = [];
    const silent = new Error('silent');
    const calls: FileCalls = {
      make: async (path, row, options) => {
        late.push(options?.late?.(await answeredCalls.make(path, row)));
        throw silent;
      },
    };
    expect(await shownAt(folder, calls)).toBe(silent);
    expect(late).toHaveLength(1);
    await Promise.all(late);
  });

  test('not asked, since others took long -> nothing is answered, and what was opened is closed', async () => {
    let asked = 0;
    const calls: FileCalls = {
      make: (path, row) =>
        ++asked === 2 ? Promise.reject(new NoTurnError('not begun')) : answeredCalls.make(path, row),
    };
    await expect(placesShownAt([folder, folder], [], calls)).rejects.toThrow(NoTurnError);
  });
});

mounting('mounts', () => {
  const make = (...names: readonly string[]): void =>
    names.forEach((name) => mkdirSync(join(folder, name), { recursive: true }));

  test('a path to what is mounted -> the place that is shown there', async () => {
    make('a/b', 'c');
    mounter.bind(join(folder, 'a'), join(folder, 'c'));
    expect(await shownAt(join(folder, 'c/b'))).toEqual([await placeOf('a/b')]);
  });

  test('a path with something mounted below -> both places', async () => {
    make('a', 'c/mnt');
    mounter.bind(join(folder, 'a'), join(folder, 'c/mnt'));
    expect(await shownAt(join(folder, 'c'))).toEqual([await placeOf('c'), await placeOf('a')]);
  });

  test('a path to nothing beside what is mounted -> its own place', async () => {
    make('a', 'c/mnt');
    mounter.bind(join(folder, 'a'), join(folder, 'c/mnt'));
    expect(await shownAt(join(folder, 'c/nothing'))).toEqual([await placeOf('c/nothing')]);
  });

  test('a path into a file system whose process has ended -> not known', async () => {
    make('a');
    mounter.ended(join(folder, 'a'));
    expect(await shownAt(join(folder, 'a/b'))).toMatchObject({ code: 'ENOTCONN' });
  });

  test('mounted in a folder, and where it is shown again -> both mount points', async () => {
    make('a/mnt', 'b', 'c');
    mounter.bind(join(folder, 'a'), join(folder, 'b'));
    mounter.tmpfs(join(folder, 'a/mnt'));
    mounter.tmpfs(join(folder, 'c'));
    const opened = await openFolder(join(folder, 'a'));
    expect(mountPointsIn(opened)).toEqual([join(folder, 'a/mnt')]);
    mounter.unmount(join(folder, 'a/mnt'));
    mounter.tmpfs(join(folder, 'b/mnt'));
    expect(mountPointsIn(opened)).toEqual([join(folder, 'b/mnt')]);
    await opened.close();
  });

  test('folder of a file system that is unmounted by now -> not known', async () => {
    make('a');
    mounter.tmpfs(join(folder, 'a'));
    const opened = await openFolder(join(folder, 'a'));
    mounter.unmount(join(folder, 'a'));
    const unknown = /is in no mount of the mount table/;
    expect(() => mountPointsIn(opened)).toThrow(unknown);
    const [shown] = await placesShownAt([folder], [opened], answeredCalls);
    expect(shown?.open.get(opened)).toEqual(
      expect.objectContaining({ message: expect.stringMatching(unknown) }),
    );
    await opened.close();
  });
});
