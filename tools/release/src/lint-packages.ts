import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packApps, packPackages } from './pack-packages.ts';
import { packageProblems } from './package-problems.ts';

/*
 * Packs all that is published, after `npm run build`, and checks the tarballs: `npm run lint:packages`. The last line is `N passed, N failed, N skipped`; the same is in
 * reports/lint-packages.json. Exit codes: 0, 1 something failed.
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
