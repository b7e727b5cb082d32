import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPacked, packPackages } from '../src/pack-packages.ts';

/* The packages as other people's projects take them: from tarballs, and bundled. */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** Names of packages within the texts of programs, which are no imports of this file. */
const [core, runtime] = ['@holdfast/core', '@holdfast/runtime'] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-packed-'));
  await installPacked(await packPackages(folder), folder);
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Without what this run gives to the processes that its tests start. */
const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, TMPDIR: tmpdir() };

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

describe('bundle', () => {
  async function bundle(name: string, text: string, banner = ''): Promise<string> {
    const outfile = join(folder, `bundled/${name}`);
    await build({
      entryPoints: [await write(`${name}.ts`, text)],
      outfile,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      banner: { js: banner },
      logLevel: 'silent',
    });
    return outfile;
  }

  test.each([
    [core, 'guardedPatch'],
    [runtime, 'backoffDelay'],
  ])('one function of %s, %s -> no more than it', async (from, name) => {
    const path = await bundle(
      `small-${name}.mjs`,
      `import { ${name} } from '${from}';\nconsole.log(${name});`,
    );
    expect((await stat(path)).size).toBeLessThan(700);
  });

  test('operator, bundled as the README says -> runs with nothing beside it', async () => {
    const readme = await readFile(join(root, 'packages/runtime/README.md'), 'utf8');
    const banner = /--banner:js="([^"]+)"/.exec(readme)?.[1] ?? 'the README has no banner';
    const path = await bundle(
      'operator.mjs',
      `import '${runtime}/lean-heap';
       import { appCommand, runApp } from '${runtime}';
       const identity = { name: 'acme-sites', domain: 'acme.example' };
       await runApp(appCommand({ ...identity, version: '1.0.0', description: 'does.', gates: {}, flags: {} }), () => {});`,
      banner,
    );
    const alone = await mkdtemp(join(tmpdir(), 'holdfast-alone-'));
    await symlink(path, join(alone, 'main.mjs'));
    const { stdout } = await run(
      process.execPath,
      ['--preserve-symlinks-main', join(alone, 'main.mjs'), '--help'],
      { env },
    );
    await rm(alone, { recursive: true });
    expect(stdout).toMatch(/^acme-sites 1\.0\.0: does\./);
  });
});

test('older Node than engines say -> the import fails with what is needed', async () => {
  const { engines } = JSON.parse(await readFile(join(root, 'packages/runtime/package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe('>=22.19');
  const path = await write(
    'old.mjs',
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: process.argv[2] } });
     await import('${runtime}').then(() => console.log('loaded'), (error) => console.log(error.message));`,
  );
  const said = async (version: string): Promise<string> =>
    (await run(process.execPath, [path, version], { env })).stdout.trim();
  expect(await Promise.all(['20.20.2', '22.18.9', '22.19.0', '23.0.0'].map(said))).toEqual([
    '@holdfast/runtime needs Node.js 22.19 or later, and this is 20.20.2',
    '@holdfast/runtime needs Node.js 22.19 or later, and this is 22.18.9',
    'loaded',
    'loaded',
  ]);
});
