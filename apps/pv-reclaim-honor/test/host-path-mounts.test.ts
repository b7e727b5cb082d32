import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';
import { openHandlesBelow } from './open-handles.ts';
import { createMounter, mountingMissing, type Mounter } from './real-mounts.ts';

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(`SKIPPED, real mounts: ${missing}. Run these tests as root on Linux.\n`);
}
const suite = missing === undefined ? describe : describe.skip;

suite('hostPath volumes beside real mounts', () => {
  let folder: string;
  let root: string;
  let outside: string;
  let mounter: Mounter;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-mounts-')));
    root = join(folder, 'root');
    outside = join(folder, 'outside');
    mounter = createMounter();
    await mkdir(join(root, 'v', 'deep', 'mnt'), { recursive: true });
    await writeFile(join(root, 'v', 'file'), 'data');
    await mkdir(outside);
    await writeFile(join(outside, 'precious'), 'data');
  });

  afterEach(async () => {
    // Before: a handle in what is unmounted has no path there any more.
    expect(openHandlesBelow(folder)).toStrictEqual([]);
    mounter.unmountAll();
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('data');
    await rm(folder, { recursive: true });
  });

  const remove = (path: string, under = root): Promise<void> =>
    hostPathPlugin(under, noOthers, answeredCalls).delete(volume({ source: { hostPath: { path } } }), atWill);

  test.each<{ what: string; mount: (at: string) => void }>([
    { what: 'bind mount of the same file system', mount: (at) => mounter.bind(outside, at) },
    { what: 'tmpfs', mount: (at) => mounter.tmpfs(at) },
    { what: 'bind mount of the folder onto itself', mount: (at) => mounter.bind(at, at) },
  ])('P2: $what within the folder -> refused, and nothing is touched', async ({ mount }) => {
    const at = join(root, 'v', 'deep', 'mnt');
    mount(at);
    await expect(remove(join(root, 'v'))).rejects.toThrow(`mounted at "${at}"`);
    expect(existsSync(join(root, 'v', 'file'))).toBe(true);
    mounter.unmountAll();
    await remove(join(root, 'v'));
    expect(existsSync(join(root, 'v'))).toBe(false);
  });

  test('P2: file mounted over a file within the folder -> refused, and nothing is touched', async () => {
    mounter.bind(join(outside, 'precious'), join(root, 'v', 'file'));
    await expect(remove(join(root, 'v'))).rejects.toThrow(`mounted at "${join(root, 'v', 'file')}"`);
    expect(existsSync(join(root, 'v', 'deep'))).toBe(true);
  });

  test.each([
    ['the folder itself', ['v']],
    ['a folder on the way', ['v', 'deep']],
  ])('P2: bind mount at %s -> refused, and nothing is touched', async (_what, at) => {
    mounter.bind(outside, join(root, ...at));
    await mkdir(join(outside, 'mnt'));
    await expect(remove(join(root, 'v', 'deep', 'mnt'))).rejects.toThrow(/mounted|not deleted/);
    await expect(remove(join(root, 'v'))).rejects.toThrow(/mounted/);
    expect(existsSync(join(outside, 'mnt'))).toBe(true);
  });

  test('P2: mounted only where the folder is shown by another mount -> refused, and nothing is touched', async () => {
    const shown = join(folder, 'shown');
    await mkdir(shown);
    mounter.bind(join(root, 'v'), shown);
    mounter.bind(outside, join(shown, 'deep', 'mnt'));
    await expect(remove(join(root, 'v'))).rejects.toThrow(/is mounted at/);
    expect(existsSync(join(root, 'v', 'file'))).toBe(true);
  });

  test('P2: mount point with a space, a line end and letters beyond ASCII -> seen', async () => {
    const odd = join(root, 'v', 'a b\nü');
    await mkdir(odd);
    mounter.bind(outside, odd);
    await expect(remove(join(root, 'v'))).rejects.toThrow(/is mounted at/);
    expect(existsSync(join(root, 'v', 'file'))).toBe(true);
  });

  test('P2: mount in a folder whose name begins alike -> no reason to refuse', async () => {
    await mkdir(join(root, 'v2', 'mnt'), { recursive: true });
    mounter.bind(outside, join(root, 'v2', 'mnt'));
    await remove(join(root, 'v'));
    expect(existsSync(join(root, 'v'))).toBe(false);
    expect(existsSync(join(root, 'v2', 'mnt', 'precious'))).toBe(true);
  });

  test('P2: root that is a mount itself, reached through a link -> works, and mounts are seen through it', async () => {
    const real = join(folder, 'real');
    await mkdir(real);
    mounter.tmpfs(real);
    await symlink(real, join(folder, 'link'));
    await mkdir(join(real, 'v', 'mnt'), { recursive: true });
    mounter.bind(outside, join(real, 'v', 'mnt'));
    await expect(remove(join(folder, 'link', 'v'), join(folder, 'link'))).rejects.toThrow(/is mounted at/);
    mounter.unmount(join(real, 'v', 'mnt'));
    await remove(join(folder, 'link', 'v'), join(folder, 'link'));
    expect(existsSync(join(real, 'v'))).toBe(false);
  });

  test('another file system is at the root since the folder was opened, with a folder of the same inode -> refused', async () => {
    for (const name of ['one', 'other']) {
      await mkdir(join(folder, name));
      mounter.tmpfs(join(folder, name));
      await mkdir(join(folder, name, 'v'));
      await writeFile(join(folder, name, 'v', 'file'), name);
    }
    expect(statSync(join(folder, 'one', 'v')).ino).toBe(statSync(join(folder, 'other', 'v')).ino);
    const link = join(folder, 'link');
    await symlink('one', link);
    const folders = async () => {
      await rm(link);
      await symlink('other', link);
      return [];
    };
    const path = join(link, 'v');
    const plugin = hostPathPlugin(link, { ...noOthers, folders }, answeredCalls);
    await expect(plugin.delete(volume({ source: { hostPath: { path } } }), atWill)).rejects.toThrow(
      'another folder was put in its place',
    );
    expect(existsSync(join(folder, 'one', 'v', 'file'))).toBe(true);
    expect(existsSync(join(folder, 'other', 'v', 'file'))).toBe(true);
  });
});
