import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPacked, packPackages } from '../src/pack-packages.ts';

/*
 * The packages as other people's projects take them: from tarballs, bundled, in both module systems, under several test
 * runners.
 */

// Each test is a process, or four.
jest.setTimeout(120_000);

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** Names of packages within the texts of programs, which are no imports of this file. */
const [core, runtime, testing] = ['@holdfast/core', '@holdfast/runtime', '@holdfast/testing'] as const;

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

test.each([[runtime], [`${runtime}/testing`]])(
  '%s, older Node than engines say -> the import fails with what is needed',
  async (entry) => {
    const { engines } = JSON.parse(await readFile(join(root, 'packages/runtime/package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(engines.node).toBe('>=22.19');
    const path = await write(
      'old.mjs',
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: process.argv[2] } });
     await import('${entry}').then(() => console.log('loaded'), (error) => console.log(error.message));`,
    );
    const said = async (version: string): Promise<string> =>
      (await run(process.execPath, [path, version], { env })).stdout.trim();
    expect(await Promise.all(['20.20.2', '22.18.9', '22.19.0', '23.0.0'].map(said))).toEqual([
      '@holdfast/runtime needs Node.js 22.19 or later, and this is 20.20.2',
      '@holdfast/runtime needs Node.js 22.19 or later, and this is 22.18.9',
      'loaded',
      'loaded',
    ]);
  },
);

/** An operator marks a map on an embedded API server: the value of the mark, and the operator's exit code. */
const story = `
  async function story() {
    const plane = await startEmbeddedControlPlane({ tls: false });
    const folder = await mkdtemp(join(tmpdir(), 'operator-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig);
    const command = appCommand({ name: 'marker', version: '1.0.0', description: 'marks.', gates: {}, flags: {} });
    const line = parseCommandLine(command, [
      '--kubeconfig=' + kubeconfig, '--namespaces=shop', '--insecure-http', '--leader-elect=false', '--log-level=error',
      '--metrics-bind-address=0', '--health-probe-bind-address=0',
    ], {});
    const client = connect({
      kubeConfig: () => loadKubeConfig(line.values), registry: new Registry(), program: 'test', version: '0',
    });
    await client.create(namespaces, undefined, { metadata: { name: 'shop' } });
    await client.create(configMaps, 'shop', { metadata: { name: 'map' } });
    const end = new AbortController();
    const marked = Promise.withResolvers();
    const program = { name: 'marker', version: '1.0.0', flags: line.texts };
    const running = runComposed(line.values, program, (app) => {
      const maps = app.watch(configMaps, createProjection(configMaps, { data: true }));
      app.controller({
        wakes: [wake(maps, { present: objectKey })],
        reconcile: async (key, _batch, signal) => {
          const map = maps.store.get(key);
          if (map?.data === undefined) {
            await app.client.apply(configMaps, parseKey(key), { data: { mark: 'yes' } }, { signal });
          } else {
            marked.resolve(map.data.mark);
          }
          return { kind: 'done' };
        },
      });
    }, { signal: end.signal });
    const mark = await marked.promise;
    end.abort(new Error('end of the test'));
    const code = await running;
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
    return mark + ' ' + code;
  }
`;

const imports = `
  import { configMaps, namespaces, objectKey, parseKey } from '${core}';
  import { appCommand, connect, createProjection, loadKubeConfig, parseCommandLine, Registry, runComposed, wake } from '${runtime}';
  import { startEmbeddedControlPlane } from '${testing}';
  import { mkdtemp, rm, writeFile } from 'node:fs/promises';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
`;
const asking = (how: string): string =>
  imports.replaceAll(/import (.*) from (.*);/g, `const $1 = ${how}($2);`);

const storyTest = `test('story', () => story().then((said) => { if (said !== 'yes 0') throw new Error(said); }), 60_000);`;

const runners = {
  'node:test': {
    arguments: ['--test', '--test-reporter=tap', 'story.test.js'],
    files: {
      module: `import { test } from 'node:test';${imports}${story}${storyTest}`,
      commonjs: `const { test } = require('node:test');${asking('require')}${story}${storyTest}`,
    },
    passed: /^# pass 1$/m,
  },
  jest: {
    arguments: [
      '--experimental-vm-modules',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--rootDir=.',
      '--transform={}',
    ],
    files: {
      module: `${imports}${story}${storyTest}`,
      // Before Node 24.9 jest requires no ES module.
      commonjs: `${story.replace('{', `{${asking('await import')}`)}${storyTest}`,
    },
    passed: /^Tests: +1 passed, 1 total$/m,
  },
} as const;

describe.each(Object.entries(runners))('tests of an operator under %s', (name, runner) => {
  test.each(['module', 'commonjs'] as const)('project of type %s -> they pass', async (type) => {
    const project = `${name.replace(':', '-')}-${type}`;
    await write(`${project}/package.json`, JSON.stringify({ type }));
    await write(`${project}/story.test.js`, runner.files[type]);
    const { stdout, stderr } = await run(process.execPath, runner.arguments, {
      cwd: join(folder, project),
      env,
    });
    expect(`${stdout}\n${stderr}`).toMatch(runner.passed);
  });
});
