import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packApps, packPackages } from './pack-packages.ts';
import { packageProblems } from './package-problems.ts';

/*
 * `npm run lint:packages`: packs everything that is published, after `npm run build`, and checks the
 * tarballs. The last line is `N passed, N failed, N skipped`; reports/lint-packages.json has the same
 * numbers. Exit code 1: a check failed; otherwise 0.
 */

const root = join(import.meta.dirname, '../../..');
const write = (line: string): void => void process.stdout.write(`${line}\n`);

let passed = 0;
let failed = 0;
const folder = await mkdtemp(join(tmpdir(), 'holdfast-lint-packages-'));
try {
  for (const { name, tarball } of [...(await packPackages(folder)), ...(await packApps(folder))]) {
    const problems = await packageProblems(tarball);
    write(`${problems.length === 0 ? 'ok    ' : 'FAILED'}   ${name}`);
    problems.forEach((problem) => write(`         ${problem}`));
    passed += problems.length === 0 ? 1 : 0;
    failed += problems.length === 0 ? 0 : 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

await mkdir(join(root, 'reports'), { recursive: true });
await writeFile(
  join(root, 'reports/lint-packages.json'),
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
  }),
);
write(`${String(passed)} passed, ${String(failed)} failed, 0 skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
