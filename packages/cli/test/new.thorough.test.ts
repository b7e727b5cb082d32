import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/*
 * A new project as its author has it: made by the command from its tarball, and built and tested against tarballs by
 * its own scripts.
 */

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const ours = ['core', 'runtime', 'apiserver', 'testing', 'cli'];

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

let folder: string;
let modules: string;

/** What npm would have put there, linked from the repository, where eslint has another `typescript`. */
async function link(from: string, name: string): Promise<void> {
  const near = join(from, 'node_modules', name);
  const source =
    existsSync(near) && from !== repository
      ? near
      : join(repository, 'node_modules', name === 'typescript' ? 'typescript-7' : name);
  const target = join(modules, name);
  if (!existsSync(target)) {
    await mkdir(dirname(target), { recursive: true });
    await symlink(source, target);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-new-'));
  modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  const places = ours.map((name) => `./packages/${name}`);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...places], {
    cwd: repository,
  });
  const packed = JSON.parse(stdout) as readonly { readonly filename: string }[];
  for (const [at, name] of ours.entries()) {
    const unpacked = join(modules, '@holdfast', name);
    await mkdir(unpacked, { recursive: true });
    const tarball = join(folder, packed[at]?.filename ?? '');
    await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
    for (const dependency of Object.keys((await manifestIn(unpacked)).dependencies ?? {})) {
      if (!dependency.startsWith('@holdfast/')) {
        await link(join(repository, 'packages', name), dependency);
      }
    }
  }
  await symlink('../@holdfast/cli/bin/holdfast.js', join(modules, '.bin/holdfast'));
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('holdfast new, npm test, npm run crd, npm run rbac -> a tested operator with its manifests', async () => {
  const env = {
    PATH: `${dirname(process.execPath)}:${join(modules, '.bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TMPDIR: tmpdir(),
    HOLDFAST_RECORD_REQUESTS: 'requests',
    NODE_OPTIONS: '--test-reporter=tap',
  };
  await run('holdfast', ['new', 'site-operator'], { cwd: folder, env });
  const project = join(folder, 'site-operator');
  const { dependencies, devDependencies } = await manifestIn(project);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    await link(repository, name);
  }
  await symlink(join(modules, 'typescript/bin/tsc'), join(modules, '.bin/tsc'));
  const npm = (...args: readonly string[]) =>
    run('npm', args, { cwd: project, env }).catch((error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`);
    });
  expect((await npm('test')).stdout).toMatch(/^# pass 6$/m);
  await npm('run', 'crd');
  await npm('run', 'rbac');
  expect(await readFile(join(project, 'deploy/crds/example.com_sites.yaml'), 'utf8')).toContain('kind: Site');
  expect(await readFile(join(project, 'deploy/role.yaml'), 'utf8')).toContain(
    '# patch: dist/test/operator.test.js',
  );
  const { stdout } = await run(process.execPath, ['dist/src/main.js', '--version'], { cwd: project, env });
  expect(stdout).toBe('site-operator 0.1.0\n');
}, 180_000);
