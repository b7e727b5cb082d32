import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, realpath, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { atNextRead } from './next-read.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';
import { createMounter, mountingMissing } from './real-mounts.ts';

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(
    `SKIPPED, what is mounted while a folder is removed: ${missing}. Run as root on Linux.\n`,
  );
}

const mounting = missing === undefined ? test : test.skip;

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

afterEach(() => rm(folder, { recursive: true }));

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

const filesIn = (at: string): readonly string[] =>
  existsSync(at) ? readdirSync(at, { recursive: true, encoding: 'utf8' }).sort() : [];

describe('P10: size', () => {
  test('2,100 folders deep, 20,000 files, 96 descriptors and 12 MiB of heap -> removed', () => {
    const program = `ulimit -n 96; exec "$0" --max-old-space-size=12 --max-semi-space-size=1 "$@"`;
    const output = execFileSync(
      'sh',
      [
        '-c',
        program,
        process.execPath,
        fileURLToPath(import.meta.resolve('./removal-cost.ts')),
        '2100',
        '20000',
      ],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        // In memory where there is such a place: what counts is the number of entries.
        env: { ...process.env, ...(existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}) },
      },
    );
    expect(JSON.parse(output)).toMatchObject({ left: [] });
  }, 120_000);

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
    expect(filesIn(root)).toEqual([]);
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
    expect(filesIn(root)).toEqual([]);
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
    expect(filesIn(root)).toEqual([]);
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
