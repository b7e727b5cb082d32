import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
/** Each with how many tests of its own it has. */
const examples = { 'config-checksum': 1, ttl: 3, site: 7 };
/** All that is published, with what is in it. */
const papers = ['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'package.json'];
const app = [...papers, 'dist/main.js', 'dist/main.js.LEGAL.txt'].toSorted();
const published: Readonly<Record<string, readonly string[]>> = {
  'packages/apiserver': [...papers, 'dist', 'src'].toSorted(),
  'packages/cli': [...papers, 'bin', 'dist', 'src'].toSorted(),
  'packages/core': [...papers, 'dist', 'src'].toSorted(),
  'packages/runtime': [...papers, 'dist', 'examples', 'src'].toSorted(),
  'packages/testing': [...papers, 'bin', 'dist', 'src'].toSorted(),
  'apps/pv-reclaim-honor': app,
  'apps/pvc-protection': app,
  'apps/retroactive-default-sc': app,
  'apps/statefulset-pvc-retention': app,
};
const apps = Object.keys(published).filter((path) => path.startsWith('apps/'));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

const nameOf = (path: string): string => `@holdfast/${path.slice(path.indexOf('/') + 1)}`;

/** Where a package of the repository finds one that it depends on. The `typescript` there is eslint's. */
function found(from: string, name: string): string {
  const near = join(from, 'node_modules', name);
  return existsSync(near) && from !== repository
    ? near
    : join(repository, 'node_modules', name === 'typescript' ? 'typescript-7' : name);
}

/**
 * Installs as npm would, but without a network: the tarballs of our packages are unpacked, and whatever they and the
 * example say they depend on, and nothing else, is linked from the repository.
 */
async function install(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const link = async (from: string, name: string): Promise<void> => {
    const target = join(modules, name);
    if (!existsSync(target)) {
      await mkdir(dirname(target), { recursive: true });
      await symlink(found(from, name), target);
    }
  };
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--pack-destination', folder, ...Object.keys(published).map((path) => `./${path}`)],
    { cwd: repository },
  );
  const packed = JSON.parse(stdout) as readonly { readonly name: string; readonly filename: string }[];
  expect(packed.map(({ name }) => name)).toEqual(Object.keys(published).map(nameOf));
  for (const [at, path] of Object.keys(published).entries()) {
    const source = join(repository, path);
    const unpacked = join(modules, nameOf(path));
    await mkdir(unpacked, { recursive: true });
    await run('tar', [
      '-xzf',
      join(folder, packed[at]?.filename ?? ''),
      '-C',
      unpacked,
      '--strip-components=1',
    ]);
    for (const dependency of Object.keys((await manifestIn(unpacked)).dependencies ?? {})) {
      if (!dependency.startsWith('@holdfast/')) {
        await link(source, dependency);
      }
    }
  }
  for (const example of Object.keys(examples)) {
    const { dependencies, devDependencies } = await manifestIn(join(folder, example));
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
      await link(repository, dependency);
    }
  }
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-stranger-'));
  for (const example of Object.keys(examples)) {
    for (const part of ['package.json', 'tsconfig.json', 'src', 'test']) {
      const source = join(repository, 'packages/runtime/examples', example, part);
      await cp(source, join(folder, example, part), { recursive: true });
    }
  }
  await install(folder);
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('example operator, from tarballs in an empty folder', () => {
  const npm = (example: string, ...args: readonly string[]): Promise<{ readonly stdout: string }> => {
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TMPDIR: tmpdir(),
      NODE_OPTIONS: '--test-reporter=tap',
    };
    return run('npm', [...args], { cwd: join(folder, example), env }).catch((error: unknown) => {
      throw new Error(`npm ${args.join(' ')}: ${(error as { readonly stdout: string }).stdout}`);
    });
  };
  beforeAll(async () => {
    // npm makes the programs of a package known by links in .bin; the packages are links here, and so are these.
    const bin = join(folder, 'node_modules/.bin');
    await mkdir(bin, { recursive: true });
    await symlink(join(folder, 'node_modules/typescript/bin/tsc'), join(bin, 'tsc'));
    await symlink(join(folder, 'node_modules/@holdfast/cli/bin/holdfast.js'), join(bin, 'holdfast'));
  });

  test.each(Object.entries(examples))(
    '%s -> npm test, as the README says, compiles it, and all %d tests pass',
    async (example, count) => {
      const { stdout } = await npm(example, 'test');
      expect(stdout).toMatch(new RegExp(`^# pass ${String(count)}$`, 'm'));
    },
    180_000,
  );

  test('site -> npm run crd writes the definition of its kind', async () => {
    await npm('site', 'run', 'build');
    await npm('site', 'run', 'crd');
    const crd = await readFile(join(folder, 'site/crds/example.com_sites.yaml'), 'utf8');
    expect(crd).toContain('kind: CustomResourceDefinition');
  }, 180_000);
});

describe('tarball', () => {
  const unpackedOf = (path: string): string => join(folder, 'node_modules', nameOf(path));
  const filesOf = async (path: string): Promise<readonly string[]> => {
    const entries = await readdir(unpackedOf(path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpackedOf(path).length + 1))
      .map((file) => file.replaceAll(sep, '/'))
      .toSorted();
  };

  test.each(Object.entries(published))(
    '%s -> holds what is meant to be published, and no more',
    async (path, meant) => {
      const files = await filesOf(path);
      const parts = files.map((file) =>
        path.startsWith('packages/')
          ? file.slice(0, file.includes('/') ? file.indexOf('/') : undefined)
          : file,
      );
      expect([...new Set(parts)]).toEqual(meant);
      const odd = files.filter(
        (file) =>
          /\.(tsbuildinfo|test\.ts|go)$/.test(file.replace(/^examples\/.*/, '')) ||
          (file.startsWith('dist/') && !/\.(js|d\.ts)(\.map)?$|\.LEGAL\.txt$/.test(file)),
      );
      expect(odd).toStrictEqual([]);
    },
  );

  test.each(Object.keys(published))(
    '%s -> no file names a folder of the machine that packed it',
    async (path) => {
      const files = await filesOf(path);
      const texts = await Promise.all(files.map((file) => readFile(join(unpackedOf(path), file), 'utf8')));
      expect(files.filter((_, at) => texts[at]?.includes(repository) === true)).toStrictEqual([]);
    },
  );

  test.each(apps)(
    '%s -> its program runs with nothing beside it, and says its version and its flags',
    async (path) => {
      const { name, version, bin = {}, dependencies } = await manifestIn(unpackedOf(path));
      expect([Object.keys(bin), dependencies]).toEqual([[name.slice('@holdfast/'.length)], undefined]);
      // As npm links it: the file itself is run, and finds Node by the path.
      const program = join(unpackedOf(path), Object.values(bin)[0] ?? '');
      const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
      const said = await Promise.all(['--version', '--help'].map((flag) => run(program, [flag], { env })));
      expect(said[0]?.stdout).toContain(version);
      expect(said[1]?.stdout).toContain('--uninstall');
    },
  );
});
