import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const { optionalDependencies: pinned } = read('package.json') as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

const only = (value: string | readonly string[] | undefined): string => [value].flat().join();

/** The package that holds Node for a platform, as the lock file has it. */
function nodeFor(platform: string, cpu: string): { readonly name: string; readonly locked: Locked } {
  const found = Object.entries(packages).filter(
    ([path, { bin, os, cpu: its }]) =>
      path.startsWith('node_modules/node-') &&
      bin?.['node'] !== undefined &&
      only(os) === platform &&
      only(its) === cpu,
  );
  expect(found).toHaveLength(1);
  const [path = '', locked = {}] = found[0] ?? [];
  return { name: path.replace('node_modules/', ''), locked };
}

/** Three numbers, of which missing ones are 0, as one that compares. */
const rank = (version: string): number =>
  version.split('.').reduce((sum, part, at) => sum + Number(part) * 1_000 ** (2 - at), 0);

describe('H16: the Node that an installation brings', () => {
  test.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
  ])('%s %s -> one release, locked by its digest, that runs all that is installed', (platform, cpu) => {
    const { name, locked } = nodeFor(platform, cpu);
    expect(locked).toMatchObject({ integrity: expect.stringMatching(/^sha512-.{86}==$/), optional: true });
    expect(locked.hasInstallScript).toBeUndefined();
    expect(pinned[name]).toBe(locked.version);

    const asked = Object.entries(packages).flatMap(([path, { engines }]) => {
      const least = /^>= ?([\d.]+)$/.exec(engines?.node ?? '')?.[1];
      return least === undefined ? [] : [{ path, least }];
    });
    expect(asked.map(({ path }) => path)).toContain('node_modules/undici');
    expect(asked.filter(({ least }) => rank(locked.version ?? '') < rank(least))).toStrictEqual([]);
  });

  test('no package fetches Node by a script of its own', () => {
    expect(Object.keys(packages).filter((path) => /(^|\/)node_modules\/node$/.test(path))).toStrictEqual([]);
  });

  test('this machine -> what is installed is what is locked', () => {
    const { name, locked } = nodeFor(process.platform, process.arch);
    expect(read(`node_modules/${name}/package.json`)).toMatchObject({ version: locked.version });
    const binary = join(root, 'node_modules', name, Object.values(locked.bin ?? {})[0] ?? '');
    expect(execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()).toBe(
      `v${String(locked.version)}`,
    );
  });
});
