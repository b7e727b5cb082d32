import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

jest.setTimeout(60_000);

const run = promisify(execFile);

/** The blocks of a Markdown text that are marked `js`. */
function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-readme-'));
  await symlink(
    fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a test file as whoever pastes it does; the packages of the house come from their sources. */
function runTests(file: string): Promise<{ readonly stdout: string }> {
  const args = ['--conditions=@holdfast/source', '--test', '--test-reporter=tap', file];
  return run(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, HOLDFAST_CONTROL_PLANE: 'embedded' },
  });
}

async function example(): Promise<string> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [found, ...more] = codeBlocks(readme).filter((block) => block.includes("from 'node:test'"));
  expect(found).toBeDefined();
  expect(more).toStrictEqual([]);
  return found ?? '';
}

test("operator's test of the README, pasted into a file -> passes", async () => {
  const file = join(folder, 'copier.test.mjs');
  await writeFile(file, await example());
  const { stdout } = await runTests(file);
  expect(stdout).toMatch(/^# pass 1$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test("operator's test of the README, the operator copying nothing -> fails", async () => {
  const file = join(folder, 'idle.test.mjs');
  const idle = (await example())
    .replace("if (type === 'ADDED') await", "if (type === 'NEVER') await")
    .replace('left = 200', 'left = 8');
  await writeFile(file, idle);
  await expect(runTests(file)).rejects.toMatchObject({
    stdout: expect.stringMatching(/^# fail 1$/m) as unknown,
  });
});
