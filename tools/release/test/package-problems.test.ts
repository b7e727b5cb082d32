import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageProblems } from '../src/package-problems.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-package-problems-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The tarball of a package with these files, `package/` in front as npm has it. */
async function tarballOf(
  name: string,
  manifest: object,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const all = {
    ...files,
    'package.json': JSON.stringify({ name, version: '1.0.0', type: 'module', ...manifest }),
  };
  for (const [path, text] of Object.entries(all)) {
    const file = join(folder, name, 'package', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const tarball = join(folder, `${name}.tgz`);
  await run('tar', ['-czf', tarball, '-C', join(folder, name), 'package']);
  return tarball;
}

const both = { 'index.js': 'export const a = 1;\n', 'index.d.ts': 'export declare const a: number;\n' };
const root = (types: string, code: string) => ({ exports: { '.': { types, default: code } } });

test.each([
  ['sound', root('./index.d.ts', './index.js'), both, []],
  [
    'exports-nothing',
    root('./index.d.ts', './dist/index.js'),
    both,
    [/^publint: FILE_DOES_NOT_EXIST: .*dist\/index\.js/],
  ],
  [
    'types-nothing',
    root('./dist/index.d.ts', './index.js'),
    both,
    [/^publint: FILE_DOES_NOT_EXIST: .*dist\/index\.d\.ts/],
  ],
  ['untyped', { exports: './index.js' }, { 'index.js': both['index.js'] }, [/^types: the package has none$/]],
  [
    'program-alone',
    { bin: './main.js', exports: { './package.json': './package.json' } },
    { 'main.js': '#!/usr/bin/env node\n' },
    [],
  ],
  [
    'program-missing',
    { bin: './main.js', exports: { './package.json': './package.json' } },
    {},
    [/^publint: FILE_DOES_NOT_EXIST: .*main\.js/],
  ],
  [
    'types-last',
    { exports: { '.': { default: './index.js', types: './index.d.ts' } } },
    both,
    [/^publint: EXPORTS_.*ORDER|^publint: EXPORTS_DEFAULT_SHOULD_BE_LAST/],
  ],
  [
    'other-exports',
    root('./index.d.ts', './index.cjs'),
    { 'index.cjs': 'exports.a = 1;\n', 'index.d.ts': both['index.d.ts'] },
    [/^types: FalseESM: .*index\.d\.ts/],
  ],
])('package %s -> what those who install it would notice', async (name, manifest, files, expected) => {
  const found = await packageProblems(await tarballOf(name, manifest, files));
  expected.forEach((problem) => expect(found).toContainEqual(expect.stringMatching(problem)));
  expect(found.length > 0).toBe(expected.length > 0);
});
