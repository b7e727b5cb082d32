import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { TenureOver } from '@holdfast/runtime';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { NoAnswerError, type FileCalls } from '../src/in-tree/file-calls.ts';
import { NoTurnError } from '../src/in-tree/line.ts';
import { createVolumeFolders } from '../src/in-tree/volume-folders.ts';
import { OvertakenError } from '../src/overtaken-error.ts';
import { slimVolume } from '../src/slim.ts';
import { UnreadableVolumeError } from '../src/unreadable-volume-error.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';
import { openHandlesBelow } from './open-handles.ts';

let folder: string;
let root: string;
let outside: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-host-path-')));
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
  expect(openHandlesBelow(folder)).toStrictEqual([]);
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

test('H2: the lease ends between two files -> the second stays, and so does the folder', async () => {
  const path = join(root, 'v');
  await mkdir(path);
  await Promise.all(['one', 'two', 'three'].map((name) => writeFile(join(path, name), 'x')));
  const beforeStep = (): void => {
    if (readdirSync(path).length < 3) {
      throw new TenureOver();
    }
  };
  await expect(
    hostPathPlugin(root, noOthers, answeredCalls).delete(at(path), { ...atWill, beforeStep }),
  ).rejects.toThrow(TenureOver);
  expect(readdirSync(path)).toHaveLength(2);
});

describe('refused', () => {
  test.each([
    { name: 'the root itself', path: () => root, says: /--host-path-root itself/ },
    { name: 'the root itself, otherwise spelt', path: () => `${root}/./`, says: /--host-path-root itself/ },
    { name: '".." that leads out', path: () => `${root}/../outside`, says: /without "\.\."/ },
    { name: '".." that leads nowhere', path: () => `${root}/a/../v`, says: /without "\.\."/ },
    { name: 'a folder elsewhere', path: () => outside, says: /not below --host-path-root/ },
    { name: 'a folder whose name begins like the root', path: () => `${root}-2/v`, says: /not below/ },
    { name: 'the folder around the root', path: () => folder, says: /not below --host-path-root/ },
    { name: 'a path that no file can have', path: () => `${root}/v\0`, says: /absolute/ },
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

describe('who can be deleted', () => {
  test.each(['v', 'a/v'])('folder %s below the root -> can', (path) => {
    expect(hostPathPlugin(root, noOthers, answeredCalls).canDelete(at(join(root, path)))).toBe(true);
  });

  test('volume of another source -> can not, and is refused', async () => {
    const plugin = hostPathPlugin(root, noOthers, answeredCalls);
    expect(plugin.canDelete(volume())).toBe(false);
    expect(plugin.canDelete({ metadata: volume().metadata })).toBe(false);
    await expect(plugin.delete(volume(), atWill)).rejects.toThrow('volume pv is no hostPath volume');
  });

  test('on another system than Linux -> refused', async () => {
    const path = join(root, 'v');
    await mkdir(path);
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      await expect(remove(path)).rejects.toThrow(/on Linux only/);
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
    expect(existsSync(path)).toBe(true);
  });
});

describe('what others say on the way', () => {
  const file = () => join(root, 'v', 'file');
  beforeEach(async () => {
    await mkdir(join(root, 'v'));
    await writeFile(file(), 'data');
  });
  const failure = new Error('not now');
  const fail = (): never => {
    throw failure;
  };

  test('not due right before the deletion -> its error, and nothing is removed', async () => {
    const plugin = hostPathPlugin(root, noOthers, answeredCalls);
    await expect(plugin.delete(at(join(root, 'v')), { ...atWill, beforeDeletion: fail })).rejects.toBe(
      failure,
    );
    expect(existsSync(file())).toBe(true);
  });

  test('due before it waits for its turn, and not after -> not begun, and nothing is removed', async () => {
    let asked = 0;
    const beforeDeletion = (): void => {
      if (++asked === 3) {
        fail();
      }
    };
    const deleting = hostPathPlugin(root, noOthers, answeredCalls).delete(at(join(root, 'v')), {
      ...atWill,
      beforeDeletion,
    });
    await expect(deleting).rejects.toThrow(NoTurnError);
    await expect(deleting).rejects.toMatchObject({ cause: failure });
    expect(existsSync(file())).toBe(true);
  });

  test('not due -> it does not wait for its turn', async () => {
    const rows: (number | undefined)[] = [];
    const calls: FileCalls = {
      make: (path, row, options) => {
        rows.push(options?.limit);
        return answeredCalls.make(path, row, options);
      },
    };
    const plugin = hostPathPlugin(root, noOthers, calls);
    await expect(plugin.delete(at(join(root, 'v')), { ...atWill, beforeDeletion: fail })).rejects.toBe(
      failure,
    );
    expect(rows).toEqual([undefined]);
    await plugin.delete(at(join(root, 'v')), atWill);
    // A large file may take seconds.
    expect(rows).toEqual([undefined, undefined, 30_000]);
  });

  test('aborted while the other volumes are looked for -> none is asked about', async () => {
    const ending = new AbortController();
    const asked: string[] = [];
    const others = {
      ...noOthers,
      folders: () => {
        ending.abort(failure);
        return Promise.resolve([{ volume: volume({ name: 'other' }), path: '/x', overlaps: true as const }]);
      },
      lookAtNeeds:
        () =>
        ({ metadata }: PersistentVolume) =>
          Promise.resolve(asked.push(metadata.name) > 0),
    };
    await expect(
      hostPathPlugin(root, others, answeredCalls).delete(at(join(root, 'v')), {
        ...atWill,
        signal: ending.signal,
      }),
    ).rejects.toBe(failure);
    expect(asked).toStrictEqual([]);
  });

  test('aborted, or given up on, when the removal begins -> nothing is removed', async () => {
    const ending = new AbortController();
    const abort = (): void => ending.abort(failure);
    await expect(
      hostPathPlugin(root, noOthers, answeredCalls).delete(at(join(root, 'v')), {
        ...atWill,
        beforeDeletion: abort,
        signal: ending.signal,
      }),
    ).rejects.toBe(failure);
    const givenUp: FileCalls = {
      make: (_path, row) => row({ answered: () => undefined, signal: AbortSignal.abort(failure) }),
    };
    await expect(hostPathPlugin(root, noOthers, givenUp).delete(at(join(root, 'v')), atWill)).rejects.toBe(
      failure,
    );
    expect(existsSync(file())).toBe(true);
  });

  test('volume beside it that can not be read -> refused, whether or not it needs its storage', async () => {
    const unreadable = { name: 'odd', why: 'claimRef is no object' };
    const others = {
      ...noOthers,
      folders: () =>
        Promise.resolve([
          { volume: volume({ name: 'odd' }), path: '/x', overlaps: true as const, unreadable },
        ]),
      lookAtNeeds: () => () => Promise.resolve(false),
    };
    await expect(
      hostPathPlugin(root, others, answeredCalls).delete(at(join(root, 'v')), atWill),
    ).rejects.toMatchObject({
      message: expect.stringContaining('PersistentVolume "odd" might be over the same storage'),
      cause: new UnreadableVolumeError(unreadable),
    });
    expect(existsSync(file())).toBe(true);
  });
});

describe('file system that does not answer', () => {
  const silent = new NoAnswerError('its file system has not answered');

  test.each([
    { what: 'when the folder is opened', rows: 0 },
    { what: 'when it is removed', rows: 1 },
  ])('$what -> refused, with what is wrong', async ({ rows }) => {
    const path = join(root, 'v');
    await mkdir(path);
    let made = 0;
    const calls: FileCalls = {
      make: (at, row, options) =>
        made++ === rows ? Promise.reject(silent) : answeredCalls.make(at, row, options),
    };
    const deleting = hostPathPlugin(root, noOthers, calls).delete(at(path), atWill);
    await expect(deleting).rejects.toMatchObject({
      message: `"${path}" is not deleted: its file system has not answered`,
      cause: silent,
    });
    expect(existsSync(path)).toBe(true);
  });

  test('the call fails otherwise -> with its own error', async () => {
    const failure = new NoTurnError('not begun');
    const calls: FileCalls = { make: () => Promise.reject(failure) };
    await expect(hostPathPlugin(root, noOthers, calls).delete(at(join(root, 'v')), atWill)).rejects.toBe(
      failure,
    );
  });

  test.each(['there', 'not there'])(
    'the folder, which is %s, is opened after all -> it is closed',
    async (what) => {
      const path = join(root, 'v');
      if (what === 'there') {
        await mkdir(path);
      }
      const late: unknown[] = [];
      const calls: FileCalls = {
        make: async (at, row, options) => {
          const result = await answeredCalls.make(at, row);
          late.push(await options?.late?.(result));
          throw silent;
        },
      };
      await expect(hostPathPlugin(root, noOthers, calls).delete(at(path), atWill)).rejects.toThrow(
        'has not answered',
      );
      expect(late).toHaveLength(1);
    },
  );

  test('the removal is given up on while it goes on -> what it holds open stays open until it ends by itself', async () => {
    const path = join(root, 'v');
    await mkdir(path);
    await writeFile(join(path, 'file'), 'data');
    const givingUp = new AbortController();
    let removal: Promise<unknown> | undefined;
    const calls: FileCalls = {
      make: (at, row, options) => {
        if (options?.limit === undefined) {
          return answeredCalls.make(at, row, options);
        }
        removal = row({ answered: () => undefined, signal: givingUp.signal });
        return Promise.reject(silent);
      },
    };
    await expect(hostPathPlugin(root, noOthers, calls).delete(at(path), atWill)).rejects.toThrow(
      'has not answered',
    );
    await removal;
    expect(existsSync(path)).toBe(false);
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
  const lookAtNeeds =
    () =>
    ({ metadata }: PersistentVolume) =>
      Promise.resolve(metadata.name === 'other');
  await expect(
    hostPathPlugin(root, { ...noOthers, folders, lookAtNeeds }, answeredCalls).delete(at(path), atWill),
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
  {
    what: 'made anew under the same name and version, after a restore',
    uid: 'another',
    resourceVersion: '7',
  },
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
    lookAtNeeds: () => (other: PersistentVolume) => Promise.resolve(other === now),
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
        lookAtNeeds: () => () => Promise.resolve(isNeeded),
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
  { needy: [false, true], what: 'while the deletion is announced' },
  { needy: [false, false, true], what: 'while the removal waits for its turn' },
])('X1: volume over the folder needs it by the cache, $what -> nothing is removed', async ({ needy }) => {
  const path = join(root, 'v');
  await mkdir(path);
  await writeFile(join(path, 'file'), 'data');
  const asked: string[] = [];
  const others = {
    folders: () =>
      Promise.resolve([{ volume: volume({ name: 'linked' }), path: '/link', overlaps: true as const }]),
    lookAtNeeds: () => () => Promise.resolve(false),
    needsStorageInCache: ({ metadata }: PersistentVolume) => needy[asked.push(metadata.name) - 1] ?? false,
  };
  await expect(hostPathPlugin(root, others, answeredCalls).delete(at(path), atWill)).rejects.toThrow(
    new OvertakenError('volume linked has changed since the folders were looked for'),
  );
  expect(asked).toEqual(needy.map(() => 'linked'));
  expect(await readFile(join(path, 'file'), 'utf8')).toBe('data');
});

test('announced with the volumes that reach the folder by links, before anything is removed; nothing there -> not announced', async () => {
  const path = join(root, 'v');
  await mkdir(path);
  const linked = volume({ name: 'linked' });
  const others = {
    folders: () => Promise.resolve([{ volume: linked, path: '/link', overlaps: true as const }]),
    lookAtNeeds: () => () => Promise.resolve(false),
    needsStorageInCache: () => false,
  };
  const announced: [readonly PersistentVolume[], boolean][] = [];
  const announce = async (beside: readonly PersistentVolume[]): Promise<void> => {
    announced.push([beside, existsSync(path)]);
    await Promise.resolve();
  };
  const plugin = hostPathPlugin(root, others, answeredCalls);
  await plugin.delete(at(path), { ...atWill, announce });
  expect(existsSync(path)).toBe(false);
  await plugin.delete(at(path), { ...atWill, announce });
  expect(announced).toEqual([[[linked], true]]);
});

test('X1: two volumes over the folder need it by the cache -> the error names the first', async () => {
  await mkdir(join(root, 'v'));
  const beside = ['one', 'other'].map((name) => ({
    volume: volume({ name }),
    path: '/link',
    overlaps: true as const,
  }));
  const others = {
    folders: () => Promise.resolve(beside),
    lookAtNeeds: () => () => Promise.resolve(false),
    needsStorageInCache: () => true,
  };
  await expect(
    hostPathPlugin(root, others, answeredCalls).delete(at(join(root, 'v')), atWill),
  ).rejects.toThrow('volume one has changed');
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
