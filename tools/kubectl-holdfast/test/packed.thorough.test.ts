import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/* The tool as npm installs it: from the tarball, with nothing beside it. */

const run = promisify(execFile);
const project = join(import.meta.dirname, '..');

let folder: string;
let files: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tool-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: project });
  const [packed] = JSON.parse(stdout) as readonly {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  files = (packed?.files ?? []).map(({ path }) => path);
  const unpacked = join(folder, 'lib');
  await mkdir(unpacked);
  await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', unpacked, '--strip-components=1']);
  // npm links the program so, and kubectl runs the file itself.
  await mkdir(join(folder, 'bin'));
  await symlink('../lib/dist/main.js', join(folder, 'bin/kubectl-holdfast'));
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('tarball -> the program with its licences, and nothing that it does not need', () => {
  expect(files.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE',
    'README.md',
    'dist/main.js',
    'dist/main.js.LEGAL.txt',
    'docs/view.png',
    'package.json',
  ]);
});

test.each([
  ['--help', /^Explains why storage still exists/],
  ['--version', /^kubectl-holdfast \d+\.\d+\.\d+$/m],
  ['completion', /kubectl.holdfast/],
])('installed, %s -> answered', async (word, answer) => {
  const env = {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
  };
  const { stdout, stderr } = await run('kubectl-holdfast', [word], { env });
  expect(stdout).toMatch(answer);
  expect(stderr).toBe('');
});
