import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apps } from './apps.ts';
import { runCampaign } from './campaign.ts';
import { help, readCommand, UsageError, type Command } from './command.ts';
import { pageOf } from './report/page.ts';
import { countRuns, type Report } from './report/report.ts';
import { tableOf } from './report/table.ts';
import { startShards } from './shards.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tell = (line: string): void => void process.stderr.write(`perturb: ${line}\n`);
const folder = join('reports', 'perturb');

async function write(report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = report.pairs > 0 ? `${report.app}-pairs` : report.app;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(join(folder, `${name}.html`), pageOf(report));
}

function show(report: Report, seconds: number): void {
  const { scenarios, failures, planned } = report;
  say(tableOf(report));
  for (const { name, unstable } of scenarios) {
    if (unstable.length > 0) {
      say(`${name}: not in both of the undisturbed runs: ${unstable.join(', ')}`);
    }
  }
  const [shortest] = failures;
  if (shortest !== undefined) {
    say(
      `\nThe shortest trace of those that failed:\n${shortest.scenario}, ${shortest.perturbations.join('; ')}`,
    );
    say(
      `${shortest.outcome}: ${shortest.problem}\n${shortest.trace.map((line) => `  ${line}`).join('\n')}\n`,
    );
    for (const { outcome, scenario, perturbations, replay } of failures) {
      say(`${outcome}: ${scenario}, ${perturbations.join('; ')}\n  ${replay}`);
    }
  }
  const { runs, failed, missed } = countRuns(scenarios.flatMap((scenario) => scenario.runs));
  say(
    `${String(runs)} of ${String(planned)} runs in ${seconds.toFixed()} s: ${String(failed)} failed, ${String(missed)} missed a place`,
  );
}

/**
 * Builds the bundles from the present sources, because a campaign with an older bundle would prove nothing.
 *
 * @throws Error if an app cannot be bundled; the reason is on stderr
 */
async function bundle(apps: readonly string[]): Promise<void> {
  const bundling = spawn(
    process.execPath,
    ['tools/bundle/src/main.ts', '--if-changed', ...apps.map((app) => `apps/${app}`)],
    { cwd: join(import.meta.dirname, '../../..'), stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = (await once(bundling, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`the bundles of ${apps.join(', ')} were not made: see above`);
  }
}

/** @returns the exit code */
async function perturb(
  command: Extract<Command, { readonly kind: 'perturb' }>,
  signal: AbortSignal,
): Promise<number> {
  const { pairs, json, shards: count, ...options } = command;
  if (command.bundle === undefined) {
    await bundle(command.apps.map(({ name }) => name));
  }
  const seed = command.seed ?? Math.floor(Math.random() * 2 ** 32);
  const shards = startShards(count);
  const reports: Report[] = [];
  try {
    for (const app of command.apps) {
      if (signal.aborted) {
        break;
      }
      say(`\n${app.name}${pairs > 0 ? `: ${String(pairs)} pairs, --seed=${String(seed)}` : ''}`);
      const started = performance.now();
      let shown = 0;
      const report = await runCampaign(
        { ...options, app, pairs, seed },
        shards,
        {
          progress: (done, all) => {
            if (done === all || performance.now() - shown > 10_000) {
              shown = performance.now();
              tell(`${String(done)} of ${String(all)} runs`);
            }
          },
          failed: ({ outcome, scenario, perturbations }) =>
            tell(`${outcome}: ${scenario}, ${perturbations.join('; ')}`),
        },
        signal,
      );
      await write(report);
      show(report, (performance.now() - started) / 1000);
      reports.push(report);
    }
  } finally {
    shards.stop();
  }
  if (json !== undefined) {
    await writeFile(json, `${JSON.stringify(reports, undefined, 2)}\n`);
  }
  return !signal.aborted && reports.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    tell('ending; the report has what was played');
    interrupted.abort();
  });
}
try {
  const command = readCommand(process.argv.slice(2), apps);
  if (command.kind === 'help') {
    process.stdout.write(help);
  } else {
    process.exitCode = await perturb(command, interrupted.signal);
  }
} catch (error) {
  tell(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
