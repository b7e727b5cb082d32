import { execFileSync } from 'node:child_process';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, open, readFile, realpath, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { openFolder } from '../src/in-tree/open-folder.ts';
import { removeFolder } from '../src/in-tree/remove-folder.ts';
import { atNextRead } from './next-read.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';
import { openHandlesBelow } from './open-handles.ts';
import { createMounter, mountingMissing, type Mounter } from './real-mounts.ts';

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(
    `SKIPPED, what is mounted while a folder is removed: ${missing}. Run as root on Linux.\n`,
  );
}

const mounting = missing === undefined ? test : test.skip;

const untypedMissing = mountingMissing('untyped');
if (untypedMissing !== undefined) {
  process.stderr.write(
    `SKIPPED, a file system that does not report types: ${untypedMissing}. Run as root on Linux, with mkfs.ext4 and loop devices.\n`,
  );
}

/** Whether folders can be made immutable here, so that nothing can be moved into them. */
function canLock(): boolean {
  const tried = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
  try {
    execFileSync('chattr', ['+i', tried], { stdio: 'pipe' });
    execFileSync('chattr', ['-i', tried], { stdio: 'pipe' });
    return true;
  } catch (error) {
    process.stderr.write(`SKIPPED, deep folders that can not be moved up: ${String(error)}\n`);
    return false;
  } finally {
    rmSync(tried, { recursive: true });
  }
}
const lockable = canLock() ? test : test.skip;

let folder: string;
let root: string;
let path: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-remove-')));
  root = join(folder, 'root');
  path = join(root, 'v');
  await mkdir(path, { recursive: true });
});

afterEach(async () => {
  expect(openHandlesBelow(folder)).toStrictEqual([]);
  await rm(folder, { recursive: true });
});

/** The same without the plugin around it: the folder alone, and how often it was said that the file system answers. */
async function removeAlone(
  throwIfAborted: () => void = () => undefined,
  whenParentIsUsed: () => void = () => undefined,
): Promise<number> {
  const [above, own] = [await openFolder(root), await openFolder(path)];
  const parent = {
    get fd() {
      whenParentIsUsed();
      return above.fd;
    },
  } as FileHandle;
  let answers = 0;
  try {
    await removeFolder(
      { parent, name: 'v', folder: own },
      { answered: () => (answers += 1), throwIfAborted, refusal: (why, cause) => new Error(why, { cause }) },
    );
    // It stays open.
    await own.stat();
    return answers;
  } finally {
    await own.close();
    await above.close();
  }
}

/**
 * Plays something at the call of that number, the first being 1: two calls to an entry, before it is read and after.
 */
function atCall(number: number, play: () => void): () => void {
  let call = 0;
  return () => {
    call += 1;
    if (call === number) {
      play();
    }
  };
}

/** A signal that is never aborted, and plays something before the removal's step of that number, the first being 1. */
function signalThat(play: () => void, atStep: number): AbortSignal {
  let step = 0;
  return Object.assign(new AbortController().signal, {
    throwIfAborted: () => {
      step += 1;
      if (step === atStep) {
        play();
      }
    },
  });
}

const remove = (signal = atWill.signal): Promise<void> =>
  hostPathPlugin(root, noOthers, answeredCalls).delete(volume({ source: { hostPath: { path } } }), {
    ...atWill,
    signal,
  });

/** Three folders with three files each, the middle one with a folder of three more. */
function makeTree(): void {
  for (const steps of [['a'], ['b'], ['b', 'c'], ['d']]) {
    mkdirSync(join(path, ...steps), { recursive: true });
    for (const name of ['1', '2', '3']) {
      writeFileSync(join(path, ...steps, name), 'data');
    }
  }
}
/** More than the removal of that tree has. */
const steps = Array.from({ length: 45 }, (_, at) => at + 1);

const filesIn = (at: string, recursive = true): readonly string[] =>
  existsSync(at) ? readdirSync(at, { recursive, encoding: 'utf8' }).sort() : [];

describe('P10: size', () => {
  test('deep folders of long names, and of names that are no UTF-8 -> removed', async () => {
    let deep: FileHandle = await open(path);
    for (let level = 0; level < 40; level++) {
      const name = Buffer.concat([
        Buffer.from(`/proc/self/fd/${String(deep.fd)}/`),
        Buffer.alloc(250, level % 2 === 0 ? 0xff : 0x6e),
      ]);
      await mkdir(name);
      await writeFile(Buffer.concat([name, Buffer.from('/\xfe', 'latin1')]), '');
      const below = await open(name);
      await deep.close();
      deep = below;
    }
    await deep.close();
    await remove();
    expect(filesIn(root)).toStrictEqual([]);
  });

  lockable('deep folders that can not be moved up -> what is in them is removed where it is', async () => {
    const deep = join(path, ...Array.from({ length: 45 }, () => 'd'));
    await mkdir(deep, { recursive: true });
    await writeFile(join(deep, 'file'), 'data');
    execFileSync('chattr', ['+i', path], { stdio: 'pipe' });
    try {
      await expect(remove()).rejects.toThrow(/can't be emptied or removed \(EPERM\)/);
      expect(filesIn(path)).toEqual(['d']);
    } finally {
      execFileSync('chattr', ['-i', path]);
    }
    await remove();
    expect(filesIn(root)).toStrictEqual([]);
  });
});

describe('P10: how deep is too deep', () => {
  /** What has stood in the folder at any time but for the first in it. */
  const removedBy = async (first: string): Promise<readonly string[]> => {
    const seen = new Set<string>();
    await removeAlone(() => filesIn(path, false).forEach((name) => seen.add(name)));
    expect(filesIn(root)).toStrictEqual([]);
    return [...seen].filter((name) => name !== first);
  };
  const moved = /^\.holdfast-[0-9a-f]{8}-[0-9a-f-]{27}-0$/;

  test.each([
    { deep: 15, isMoved: false },
    { deep: 16, isMoved: true },
  ])('$deep folders, one in the other -> moved up: $isMoved', async ({ deep, isMoved }) => {
    mkdirSync(join(path, ...Array.from({ length: deep }, () => 'd')), { recursive: true });
    expect(await removedBy('d')).toEqual(isMoved ? [expect.stringMatching(moved)] : []);
  });

  test.each([
    { long: 2_999, isMoved: false },
    { long: 3_000, isMoved: true },
  ])('the names down to it have $long characters -> moved up: $isMoved', async ({ long, isMoved }) => {
    const name = 'n'.repeat(200);
    const count = Math.floor((long - path.length - 50) / 201);
    const above = join(path, ...Array.from({ length: count }, () => name));
    // The slash before the last name is not counted.
    mkdirSync(join(above, 'l'.repeat(long - above.length)), { recursive: true });
    expect(await removedBy(name)).toEqual(isMoved ? [expect.stringMatching(moved)] : []);
  });

  lockable.each([
    { deep: 127, left: 0 },
    { deep: 128, left: 1 },
  ])('$deep folders that can not be moved up -> files left in the last: $left', async ({ deep, left }) => {
    const last = join(path, ...Array.from({ length: deep }, () => 'd'));
    mkdirSync(last, { recursive: true });
    writeFileSync(join(last, 'file'), 'data');
    execFileSync('chattr', ['+i', path], { stdio: 'pipe' });
    try {
      await expect(removeAlone()).rejects.toThrow(/\(EPERM\)$/);
      expect(filesIn(path).filter((name) => name.endsWith('file'))).toHaveLength(left);
    } finally {
      execFileSync('chattr', ['-i', path]);
    }
  });

  test('aborted when a file has turned out to be a folder -> it is not moved up any more', async () => {
    const last = join(path, ...Array.from({ length: 15 }, () => 'd'));
    mkdirSync(last, { recursive: true });
    writeFileSync(join(last, 'e'), 'data');
    const replace = atCall(32, () => {
      rmSync(join(last, 'e'));
      mkdirSync(join(last, 'e'));
    });
    const abort = atCall(33, () => {
      throw new Error('aborted');
    });
    await expect(
      removeAlone(() => {
        replace();
        abort();
      }),
    ).rejects.toThrow('aborted');
    expect(existsSync(join(last, 'e'))).toBe(true);
  });
});

describe('P10: between the look at a folder and what is done with it', () => {
  const inner = () => join(path, 'b');
  beforeEach(() => mkdirSync(inner()));

  test.each<{ what: string; play: () => void }>([
    { what: 'gone', play: () => rmdirSync(inner()) },
    {
      what: 'a file',
      play: () => {
        rmdirSync(inner());
        writeFileSync(inner(), 'data');
      },
    },
    {
      what: 'a link',
      play: () => {
        rmdirSync(inner());
        symlinkSync(folder, inner());
      },
    },
  ])('folder in it is $what by now, before it is entered -> the rest is removed', async ({ play }) => {
    await removeAlone(atCall(2, play));
    expect(filesIn(root)).toStrictEqual([]);
  });

  test.each([
    { what: 'gone', left: [] },
    { what: 'a file', left: ['v'] },
  ])(
    'the folder is $what by now, when it is empty -> removed, and no other for it',
    async ({ what, left }) => {
      rmdirSync(inner());
      await removeAlone(
        undefined,
        atCall(1, () => {
          rmdirSync(path);
          if (what === 'a file') {
            writeFileSync(path, 'data');
          }
        }),
      );
      expect(filesIn(root)).toEqual(left);
    },
  );

  test('file in it is gone by now -> the rest is removed', async () => {
    rmdirSync(inner());
    writeFileSync(join(path, 'file'), 'data');
    await removeAlone(atCall(2, () => rmSync(join(path, 'file'))));
    expect(filesIn(root)).toStrictEqual([]);
  });

  test('file in it, deep down, is gone by now -> nothing further is asked about it', async () => {
    const last = join(path, ...Array.from({ length: 15 }, () => 'd'));
    rmdirSync(inner());
    mkdirSync(last, { recursive: true });
    writeFileSync(join(last, 'e'), 'data');
    const goes = atCall(32, () => rmSync(join(last, 'e')));
    let calls = 0;
    await removeAlone(() => {
      calls += 1;
      goes();
    });
    // Two to each of 16 entries, and two to the end of each of 16 folders.
    expect(calls).toBe(64);
  });

  test('file in it is a folder by now -> it is entered at once', async () => {
    const file = join(path, 'file');
    rmdirSync(inner());
    writeFileSync(file, 'data');
    const answers = await removeAlone(
      atCall(2, () => {
        rmSync(file);
        mkdirSync(file);
      }),
    );
    expect(answers).toBe(3);
    expect(filesIn(root)).toStrictEqual([]);
  });

  test('something comes into a folder in which there was nothing -> said, and it stays', async () => {
    const late = join(inner(), 'late');
    await expect(removeAlone(atCall(4, () => writeFileSync(late, 'data')))).rejects.toThrow(
      `"${inner()}" can't be emptied or removed (ENOTEMPTY)`,
    );
    expect(existsSync(late)).toBe(true);
  });

  test('something comes into a folder that had a file, and is not there whenever it is read -> said', async () => {
    rmdirSync(inner());
    writeFileSync(join(path, 'file'), 'data');
    const late = join(path, 'late');
    const come = [4, 6].map((call) => atCall(call, () => writeFileSync(late, 'data')));
    const go = atCall(5, () => rmSync(late));
    await expect(
      removeAlone(() => {
        go();
        come.forEach((each) => each());
      }),
    ).rejects.toThrow('(ENOTEMPTY)');
    expect(existsSync(late)).toBe(true);
  });

  test('another is put in its place in the very moment -> said', async () => {
    rmdirSync(inner());
    const kept = join(root, 'kept');
    await expect(
      removeAlone(
        undefined,
        atCall(1, () => {
          renameSync(path, kept);
          mkdirSync(path);
        }),
      ),
    ).rejects.toThrow(`"${path}" was moved to "${kept}" meanwhile`);
    expect(existsSync(kept)).toBe(true);
  });

  test('aborted between two entries -> no further one is read', async () => {
    writeFileSync(join(path, 'file'), 'data');
    let reads = 0;
    let takeBack = (): void => undefined;
    await expect(
      removeAlone(
        atCall(1, () => {
          takeBack = atNextRead(() => {
            reads += 1;
          });
          throw new Error('aborted');
        }),
      ),
    ).rejects.toThrow('aborted');
    takeBack();
    expect(reads).toBe(0);
  });

  test('three files -> it is said after each that the file system answers, and after the folder', async () => {
    rmdirSync(inner());
    ['1', '2', '3'].forEach((name) => writeFileSync(join(path, name), 'data'));
    expect(await removeAlone()).toBe(4);
  });
});

describe('P10: a file system that does not report which entries are folders', () => {
  let mounter: Mounter;
  beforeEach(() => {
    mounter = createMounter();
  });
  afterEach(() => mounter.unmountAll());

  (untypedMissing === undefined ? test : test.skip)(
    'files and folders, also of names that are not ASCII -> removed; nobody waits for their types',
    async () => {
      mounter.untyped(root);
      for (const name of ['plain', 'größe', '\xff']) {
        const bytes = Buffer.from(name, name === '\xff' ? 'latin1' : 'utf8');
        const inner = Buffer.concat([Buffer.from(`${path}/folder-`), bytes]);
        await mkdir(inner, { recursive: true });
        await writeFile(Buffer.concat([inner, Buffer.from('/'), bytes]), 'data');
        await writeFile(Buffer.concat([Buffer.from(`${path}/`), bytes]), 'data');
      }
      const waits = jest.spyOn(fs, 'lstatSync');
      try {
        await removeAlone();
        expect(waits).not.toHaveBeenCalled();
      } finally {
        waits.mockRestore();
      }
      expect(filesIn(root)).toStrictEqual(['lost+found']);
    },
  );
});

describe('P2: mounted in it', () => {
  let mounter: Mounter;
  beforeEach(() => {
    mounter = createMounter();
  });
  afterEach(() => mounter.unmountAll());
  const at = (): string => join(path, 'mnt');

  mounting('before -> refused, and nothing is touched', async () => {
    mkdirSync(at());
    writeFileSync(join(path, 'file'), 'data');
    mounter.tmpfs(at());
    await expect(removeAlone()).rejects.toThrow(
      new Error(`something is mounted at "${at()}"; unmount it first`),
    );
    expect(filesIn(path)).toEqual(['file', 'mnt']);
  });

  mounting('over the folder that is just removed -> refused, with what Linux says', async () => {
    mkdirSync(at());
    await expect(removeAlone(atCall(4, () => mounter.tmpfs(at())))).rejects.toThrow(
      `"${at()}" can't be emptied or removed (EBUSY)`,
    );
  });

  mounting('a file system that does not answer any more -> refused, with what Linux says', async () => {
    mkdirSync(at());
    await expect(removeAlone(atCall(1, () => mounter.ended(at())))).rejects.toThrow(
      `"${path}" can't be emptied or removed (ENOTCONN)`,
    );
  });

  mounting('over a file that would come last -> seen after 1,000 entries', async () => {
    for (let file = 0; file < 1_100; file++) {
      writeFileSync(join(path, String(file)), '');
    }
    const outside = join(folder, 'outside');
    writeFileSync(outside, 'data');
    const entries = opendirSync(path, { bufferSize: 512 });
    let last = '';
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      last = entry.name;
    }
    entries.closeSync();
    await expect(removeAlone(atCall(1, () => mounter.bind(outside, join(path, last))))).rejects.toThrow(
      `something is mounted at "${join(path, last)}"`,
    );
    expect(filesIn(path)).toHaveLength(1_100 - 999);
  });
});

describe('P10: what others do meanwhile', () => {
  test.each(steps)('folder moved away whole before step %i -> what was in it then stays', async (step) => {
    makeTree();
    let moved: readonly string[] | undefined;
    await remove(
      signalThat(() => {
        moved = filesIn(path);
        renameSync(path, join(root, 'kept'));
      }, step),
    ).catch(() => undefined);
    expect(filesIn(join(root, 'kept'))).toEqual(moved ?? []);
  });

  test.each(steps)('folder in it moved away before step %i -> what was in it then stays', async (step) => {
    makeTree();
    let moved: readonly string[] | undefined;
    await remove(
      signalThat(() => {
        if (existsSync(join(path, 'b'))) {
          moved = filesIn(join(path, 'b'));
          renameSync(join(path, 'b'), join(root, 'kept'));
        }
      }, step),
    ).catch(() => undefined);
    expect(filesIn(join(root, 'kept'))).toEqual(moved ?? []);
  });

  test.each(steps)('file put into it before step %i -> gone with the rest', async (step) => {
    makeTree();
    await remove(
      signalThat(
        () => {
          mkdirSync(join(path, 'e'), { recursive: true });
          writeFileSync(join(path, 'e', 'late'), 'data');
        },
        Math.min(step, 10),
      ),
    );
    expect(filesIn(root)).toStrictEqual([]);
  });

  mounting.each(steps)(
    'P2: something mounted within it before step %i -> what is mounted stays',
    async (step) => {
      const mounter = createMounter();
      const outside = join(folder, 'outside');
      await mkdir(join(outside, 'deep'), { recursive: true });
      await writeFile(join(outside, 'deep', 'precious'), 'data');
      makeTree();
      let mounted = false;
      const removal = remove(
        signalThat(() => {
          const at = join(path, 'b', 'c');
          if (existsSync(at)) {
            mounter.bind(outside, at);
            mounted = true;
          }
        }, step),
      );
      const error = await removal.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(await readFile(join(outside, 'deep', 'precious'), 'utf8')).toBe('data');
      expect(error === undefined).toBe(!mounted);
      // Before: a handle in what is unmounted has no path there any more.
      expect(openHandlesBelow(folder)).toStrictEqual([]);
      mounter.unmountAll();
    },
  );
});

test('aborted while a call is under way that returns late -> nothing further is removed', async () => {
  writeFileSync(join(path, 'file'), 'data');
  const ending = new AbortController();
  atNextRead(() => ending.abort(new Error('given up')));
  await expect(remove(ending.signal)).rejects.toThrow('given up');
  expect(filesIn(path)).toEqual(['file']);
});
