import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '@holdfast/testing/binaries';
import { findTool, type FoundTool } from './find-tool.ts';
import {
  checkChart,
  checkPods,
  checkRules,
  checkSchemas,
  writeSchemas,
  type RenderedTarget,
  type Verdict,
} from './lint/checks.ts';
import { readKinds, schemaSources } from './lint/schema-sources.ts';
import { chartTargets, chartValues, kustomizeTargets, type Target } from './lint/targets.ts';
import type { ToolName } from './tool-sets.ts';

/*
 * `npm run lint:deploy`: checks deploy/ with common third-party programs. A missing program is not built; its
 * checks count as one skipped check, in capitals. HOLDFAST_REQUIRE_REAL=true makes that a failure. The last
 * line is `N passed, N failed, N skipped`; reports/lint-deploy.json has the same numbers.
 *
 * Exit codes: 0; 1 if a check failed.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const deploy = join(root, 'deploy');
const chart = join(deploy, 'chart', 'holdfast');

const total = { passed: 0, failed: 0, skipped: 0 };
const write = (line: string): void => void process.stdout.write(`${line}\n`);

function record(program: string, { subject, problems }: Verdict): void {
  if (problems.length === 0) {
    total.passed += 1;
    write(`ok       ${program}: ${subject}`);
    return;
  }
  total.failed += 1;
  write(`FAILED   ${program}: ${subject}`);
  for (const problem of problems) {
    write(problem.replaceAll(/^/gm, '         '));
  }
}

function skip(what: string, reason: string): void {
  total.skipped += 1;
  write(`SKIPPED  ${what}: ${reason}`);
}

/** Runs checks. If they cannot be run, they count as one failed check. */
async function check(program: string, checks: () => Promise<readonly Verdict[]>): Promise<void> {
  try {
    for (const verdict of await checks()) {
      record(program, verdict);
    }
  } catch (error) {
    record(program, { subject: 'did not run', problems: [String(error)] });
  }
}

async function withTool(name: ToolName, use: (path: string) => Promise<void>): Promise<void> {
  const tool: FoundTool = findTool(name);
  if (tool.found) {
    await use(tool.path);
  } else {
    skip(name, tool.reason);
  }
}

async function renderAll(targets: readonly Target[], scratch: string): Promise<readonly RenderedTarget[]> {
  const rendered: RenderedTarget[] = [];
  for (const [index, { name, render }] of targets.entries()) {
    try {
      const text = await render();
      const file = join(scratch, `${index}.yaml`);
      await writeFile(file, text);
      rendered.push({ name, file, text });
    } catch (error) {
      record('render', { subject: name, problems: [String(error)] });
    }
  }
  return rendered;
}

async function checkAll(scratch: string): Promise<void> {
  const targets: Target[] = [];
  const binaries = findBinaries({ needed: ['kubectl'] });
  const kubectl = binaries.found ? join(binaries.folder, 'kubectl') : undefined;
  if (kubectl !== undefined) {
    targets.push(...(await kustomizeTargets(deploy, kubectl, scratch)));
  } else if (!binaries.found) {
    skip('kustomizations', binaries.reason);
  }
  await withTool('helm', async (helm) => {
    targets.push(...chartTargets(chart, helm));
    await check('helm lint', () => checkChart(helm, chart, chartValues(chart)));
  });
  await withTool('promtool', (promtool) =>
    check('promtool check rules', () =>
      checkRules(
        promtool,
        globSync('monitoring/**/alerts.yaml', { cwd: deploy })
          .toSorted()
          .map((path) => [`deploy/${path}`, join(deploy, path)]),
      ),
    ),
  );

  const rendered = await renderAll(targets, scratch);
  await withTool('kubeconform', async (kubeconform) => {
    for (const [release, sources] of Object.entries(schemaSources)) {
      const schemas = join(scratch, `schemas-${release}`);
      try {
        if (kubectl === undefined) {
          throw new Error('there is no kubectl');
        }
        const kinds = (await Promise.all(sources.map((source) => readKinds(source, kubectl)))).flat();
        await writeSchemas(schemas, kinds, rendered);
      } catch (error) {
        skip(`kubeconform ${release}`, `its schemas can't be had: ${String(error)}`);
        continue;
      }
      await check(`kubeconform ${release}`, () => checkSchemas(kubeconform, schemas, rendered));
    }
  });
  await withTool('kube-score', (kubeScore) => check('kube-score', () => checkPods(kubeScore, rendered)));
}

const scratch = await mkdtemp(join(tmpdir(), 'holdfast-lint-deploy-'));
try {
  await checkAll(scratch);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

if (total.skipped > 0) {
  const rule = '!'.repeat(100);
  write(`${rule}\n!! NOT ALL OF deploy/ WAS CHECKED: ${total.skipped} SKIPPED, SEE ABOVE\n${rule}`);
}
await mkdir(join(root, 'reports'), { recursive: true });
await writeFile(
  join(root, 'reports', 'lint-deploy.json'),
  JSON.stringify({
    numPassedTests: total.passed,
    numFailedTests: total.failed,
    numPendingTests: total.skipped,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
  }),
);
write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
const isRequired = process.env['HOLDFAST_REQUIRE_REAL'] === 'true';
process.exitCode = total.failed > 0 || (isRequired && total.skipped > 0) ? 1 : 0;
