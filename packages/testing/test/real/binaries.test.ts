import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { binaryNames, controlPlaneCacheFolder, findBinaries } from '../../src/real/binaries.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();

async function fill(
  folder: string,
  version: string,
  names: readonly string[] = binaryNames,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), `#!/bin/sh\necho Kubernetes ${version}\n`, { mode: 0o755 });
  }
  return folder;
}

describe('controlPlaneCacheFolder', () => {
  test.each([
    { platform: 'linux', env: {}, folder: '/home/a/.cache/holdfast/control-plane' },
    { platform: 'darwin', env: {}, folder: '/home/a/Library/Caches/holdfast/control-plane' },
    { platform: 'linux', env: { XDG_CACHE_HOME: '/x' }, folder: '/x/holdfast/control-plane' },
    { platform: 'darwin', env: { XDG_CACHE_HOME: '/x' }, folder: '/x/holdfast/control-plane' },
    { platform: 'linux', env: { XDG_CACHE_HOME: 'x' }, folder: '/home/a/.cache/holdfast/control-plane' },
    { platform: 'linux', env: { XDG_CACHE_HOME: '' }, folder: '/home/a/.cache/holdfast/control-plane' },
    { platform: 'win32', env: { LOCALAPPDATA: 'C:\\L' }, folder: 'C:\\L\\holdfast\\control-plane' },
  ] as const)('$platform, $env -> $folder', ({ platform, env, folder }) => {
    expect(controlPlaneCacheFolder(env, platform, '/home/a')).toBe(folder);
  });
});

describe('findBinaries', () => {
  test('nothing set, nothing cached -> not found, says how to get them', async () => {
    const found = findBinaries({ env: { XDG_CACHE_HOME: await newFolder() } });
    expect(found).toMatchObject({ found: false });
    expect(JSON.stringify(found)).toMatch(/Kubernetes 1\.36 .*npm run control-plane.*KUBEBUILDER_ASSETS/);
  });

  test('cached -> the folder itself, not the link that the next build replaces', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    const entry = await fill(join(controlPlaneCacheFolder(env), '1.31-abc'), 'v1.31.0');
    await symlink('1.31-abc', join(controlPlaneCacheFolder(env), '1.31'));
    expect(findBinaries({ release: '1.31', env })).toEqual({ found: true, folder: entry, source: 'cache' });
    expect(findBinaries({ env })).toMatchObject({ found: false });
  });

  test('cached, a program lost -> not found, names it', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    await fill(join(controlPlaneCacheFolder(env), '1.36'), 'v1.36.3', ['etcd', 'kube-apiserver', 'kubectl']);
    expect(JSON.stringify(findBinaries({ env }))).toContain('lacks kube-controller-manager:');
  });

  test('KUBEBUILDER_ASSETS set -> wins over the cache, in whatever version', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    await fill(join(controlPlaneCacheFolder(env), '1.36'), 'v1.36.3');
    const folder = await fill(await newFolder(), 'v1.29.1');
    expect(findBinaries({ env: { ...env, KUBEBUILDER_ASSETS: folder } })).toEqual({
      found: true,
      folder,
      source: 'KUBEBUILDER_ASSETS',
    });
  });

  test('KUBEBUILDER_ASSETS of another release than the one named -> the cache', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    const cached = await fill(join(controlPlaneCacheFolder(env), '1.31'), 'v1.31.0');
    const folder = await fill(await newFolder(), 'v1.36.3');
    const both = { ...env, KUBEBUILDER_ASSETS: folder };
    expect(findBinaries({ release: '1.31', env: both })).toMatchObject({ folder: cached });
    expect(findBinaries({ release: '1.36', env: both })).toMatchObject({ folder });
  });

  test.each([
    { version: 'v1.36.3', holds: 'which holds 1.36' },
    { version: 'of no version', holds: 'whose kube-apiserver does not say its release' },
  ])(
    'B7: KUBEBUILDER_ASSETS $version, 1.31 named, nothing cached -> not found, says in one line what is wanted, what was found, and how to get it',
    async ({ version, holds }) => {
      const env = { XDG_CACHE_HOME: await newFolder() };
      const folder = await fill(await newFolder(), version);
      expect(findBinaries({ release: '1.31', env: { ...env, KUBEBUILDER_ASSETS: folder } })).toEqual({
        found: false,
        reason: `no binaries of Kubernetes 1.31: not in KUBEBUILDER_ASSETS, ${folder}, ${holds}, nor at ${join(controlPlaneCacheFolder(env), '1.31')}: build them with "npm run control-plane -- --release 1.31" or set KUBEBUILDER_ASSETS to a folder with that release`,
      });
    },
  );

  test('B7: KUBEBUILDER_ASSETS incomplete and of another release than the one named -> the cache, as if it were complete', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    const cached = await fill(join(controlPlaneCacheFolder(env), '1.31'), 'v1.31.0');
    const folder = await fill(await newFolder(), 'v1.36.3', ['etcd', 'kube-apiserver', 'kubectl']);
    const both = { ...env, KUBEBUILDER_ASSETS: folder };
    expect(findBinaries({ release: '1.31', env: both })).toMatchObject({ folder: cached });
  });

  test('KUBEBUILDER_ASSETS incomplete, the cache complete -> not found, names what is missing', async () => {
    const env = { XDG_CACHE_HOME: await newFolder() };
    await fill(join(controlPlaneCacheFolder(env), '1.36'), 'v1.36.3');
    const folder = await fill(await newFolder(), 'v1.36.3', ['etcd', 'kube-apiserver', 'kubectl']);
    const found = findBinaries({ env: { ...env, KUBEBUILDER_ASSETS: folder } });
    expect(found).toMatchObject({ found: false });
    expect(JSON.stringify(found)).toContain(
      `KUBEBUILDER_ASSETS is ${folder}, which lacks kube-controller-manager:`,
    );
  });

  test('KUBEBUILDER_ASSETS lacks what is not needed, as setup-envtest leaves it -> found', async () => {
    const folder = await fill(await newFolder(), 'v1.36.3', ['etcd', 'kube-apiserver', 'kubectl']);
    expect(
      findBinaries({ needed: ['etcd', 'kube-apiserver'], env: { KUBEBUILDER_ASSETS: folder } }),
    ).toMatchObject({ found: true, folder });
  });

  test('KUBEBUILDER_ASSETS has a program that is not executable -> counts as missing', async () => {
    const folder = await fill(await newFolder(), 'v1.36.3');
    await chmod(join(folder, 'etcd'), 0o644);
    expect(JSON.stringify(findBinaries({ env: { KUBEBUILDER_ASSETS: folder } }))).toContain('lacks etcd:');
  });

  test('KUBEBUILDER_ASSETS relative -> not found, asks for an absolute path', () => {
    expect(JSON.stringify(findBinaries({ env: { KUBEBUILDER_ASSETS: 'bin' } }))).toContain('absolute');
  });
});
