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

/**
 * Runs test files as whoever pastes them does; the packages of the house come from their sources. One process is enough
 * for all of them, since to start takes most of their time.
 */
async function runTests(...files: readonly string[]): Promise<string> {
  const args = ['--conditions=@holdfast/source', '--test', '--test-isolation=none', '--test-reporter=tap'];
  const { stdout } = await run(process.execPath, [...args, ...files], {
    cwd: folder,
    env: { ...process.env, HOLDFAST_CONTROL_PLANE: 'embedded' },
  }).catch((error: unknown) => error as { readonly stdout: string });
  return stdout;
}

async function example(): Promise<string> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [found, ...more] = codeBlocks(readme).filter((block) => block.includes("from 'node:test'"));
  expect(found).toBeDefined();
  expect(more).toStrictEqual([]);
  return found ?? '';
}

test("operator's test of the README, pasted into a file -> passes; the operator copying nothing -> fails", async () => {
  await writeFile(join(folder, 'copier.test.mjs'), await example());
  const idle = (await example())
    .replace("if (type === 'ADDED') await", "if (type === 'NEVER') await")
    .replace('left = 200', 'left = 8');
  await writeFile(join(folder, 'idle.test.mjs'), idle);
  const stdout = await runTests('copier.test.mjs', 'idle.test.mjs');
  const results = [...stdout.matchAll(/^(ok|not ok) \d/gm)].map(([, result]) => result);
  expect(results).toEqual(['ok', 'not ok']);
  expect(stdout).toMatch(/^# pass 1$/m);
  expect(stdout).toMatch(/^# fail 1$/m);
});
