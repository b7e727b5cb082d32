import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const example = join(repository, 'packages/runtime/examples/config-checksum');
/** The packages that a stranger installs. */
const ours = ['core', 'runtime', 'testing'];
const tsc = join(repository, 'node_modules/typescript/bin/tsc');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Where a package of the repository finds one that it depends on. */
function found(from: string, name: string): string {
  const near = join(from, 'node_modules', name);
  return existsSync(near) ? near : join(repository, 'node_modules', name);
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
    ['pack', '--json', '--pack-destination', folder, ...ours.map((name) => `./packages/${name}`)],
    { cwd: repository },
  );
  const packed = JSON.parse(stdout) as readonly { readonly name: string; readonly filename: string }[];
  expect(packed.map(({ name }) => name)).toEqual(ours.map((name) => `@holdfast/${name}`));
  for (const [at, name] of ours.entries()) {
    const source = join(repository, 'packages', name);
    const unpacked = join(modules, '@holdfast', name);
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
  const { dependencies, devDependencies } = await manifestIn(folder);
  for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
    await link(repository, dependency);
  }
}

let folder: string;
beforeAll(async () => {
  // A tarball holds what was built. Our own types are checked by `npm run typecheck`; here whoever compiles is the stranger.
  await run(process.execPath, [
    tsc,
    '--build',
    '--noCheck',
    ...ours.map((name) => join(repository, 'packages', name, 'tsconfig.lib.json')),
  ]);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-stranger-'));
  for (const part of ['package.json', 'tsconfig.json', 'src', 'test']) {
    await cp(join(example, part), join(folder, part), { recursive: true });
  }
  await install(folder);
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('example operator, from tarballs in an empty folder -> npm test, as the README says, compiles it and passes', async () => {
  // npm makes the programs of a package known by links in .bin; the packages are links here, and so are these.
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await symlink(join(folder, 'node_modules/typescript/bin/tsc'), join(bin, 'tsc'));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TMPDIR: tmpdir(),
    NODE_OPTIONS: '--test-reporter=tap',
  };
  const { stdout } = await run('npm', ['test'], { cwd: folder, env }).catch((error: unknown) => {
    throw new Error(`npm test: ${(error as { readonly stdout: string }).stdout}`);
  });
  expect(stdout).toMatch(/^# pass 1$/m);
}, 180_000);
