import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controllerFiles } from '../src/controller-files.ts';

/*
 * A controller as the generator makes it, in a workspace that is this one but for it: its types are checked, it is
 * bundled, and its tests pass.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const app = 'apps/volume-notes';

let workspace: string;
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'holdfast-made-'));
  await Promise.all(
    ['node_modules', 'packages', 'tools'].map((name) => symlink(join(root, name), join(workspace, name))),
  );
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.base.json', 'tsconfig.check.json']) {
    await cp(join(root, name), join(workspace, name));
  }
  const files = controllerFiles('volume-notes', (path) => readFileSync(join(root, path), 'utf8'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

const node = (...args: readonly string[]) =>
  run(process.execPath, args, { cwd: workspace }).catch((error: unknown) => {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`node ${args.join(' ')}: ${stdout}${stderr}`);
  });

test('types -> right', async () => {
  await writeFile(
    join(workspace, 'tsconfig.json'),
    JSON.stringify({
      extends: './tsconfig.check.json',
      compilerOptions: { incremental: false },
      include: [`${app}/src`, `${app}/test`],
    }),
  );
  await node('node_modules/typescript-7/bin/tsc', '--project', '.');
}, 180_000);

test('bundle -> runs, and knows its gate', async () => {
  await node('tools/bundle/src/main.ts', app);
  const { stdout } = await node(`${app}/dist/main.js`, '--help');
  expect(stdout).toContain('VolumeNotes (beta, default true)');
}, 60_000);

test('its tests -> pass', async () => {
  const house = join(root, 'tools/ci/jest');
  const config = {
    rootDir: workspace,
    roots: [join('<rootDir>', app)],
    testMatch: ['**/test/**/*.test.ts'],
    runtime: join(house, 'runtime.js'),
    testEnvironment: join(house, 'environment.js'),
    transform: {},
    injectGlobals: false,
    haste: { enableSymlinks: false },
  };
  await writeFile(join(workspace, 'jest.json'), JSON.stringify(config));
  const report = join(workspace, 'report.json');
  await node(
    ...['node_modules/jest/bin/jest.js', '-i', '--config', join(workspace, 'jest.json')],
    ...['--json', '--outputFile', report],
  );
  const { numPassedTests, numTotalTests } = JSON.parse(await readFile(report, 'utf8')) as Readonly<
    Record<string, number>
  >;
  expect([numPassedTests, numTotalTests]).toEqual([11, 11]);
}, 120_000);
