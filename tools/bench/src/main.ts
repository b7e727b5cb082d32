import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTool, type ToolName } from '@holdfast/control-plane';
import {
  findBinaries,
  startRealControlPlane,
  type FoundBinaries,
  type RealControlPlaneOptions,
} from '@holdfast/testing';
import { apiServerComparison } from './api-server/comparison.ts';
import { compareServers } from './api-server/compare.ts';
import type { ServerResult } from './api-server/server-figures.ts';
import { compareFigures, serverLine, serverTable } from './api-server/server-table.ts';
import { namesOf, type Benchmark } from './benchmark.ts';
import { benchmarks } from './benchmarks/index.ts';
import { connectToCluster } from './cluster-api.ts';
import { help, readCommand, UsageError, type Command } from './command-line.ts';
import type { Result } from './figures.ts';
import { courses } from './growth/courses.ts';
import { grow } from './growth/grow.ts';
import type { GrowthReport, GrowthResult } from './growth/growth-figures.ts';
import { growthRows } from './growth/growth-rows.ts';
import { growthPage } from './growth/page.ts';
import { csiProvisioner } from './csi-provisioner.ts';
import { copyBundle, holdfastApp } from './holdfast-app.ts';
import { kubernetesRelease } from './kubernetes-release.ts';
import { kubeControllerManager } from './kube-controller-manager.ts';
import { currentLoad, machineLine, readMachine, type Machine } from './machine.ts';
import type { Program } from './program.ts';
import { race } from './race.ts';
import type { Arena } from './round.ts';
import { compareStarts } from './start/compare-starts.ts';
import { pairs, startComparison } from './start/start-comparison.ts';
import type { StartResult } from './start/start-figures.ts';
import { compareStartFigures, startLine, startTable } from './start/start-table.ts';
import { summarize } from './summary.ts';
import { trials } from './trials/index.ts';
import { auditRules } from './trials/requests-served.ts';
import type { TrialFigure } from './trials/trial.ts';
import { summarizeTrial, trialLine, trialTable } from './trials/trial-table.ts';
import { alignColumns, resultLine, summaryTable } from './table.ts';

const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The environment of measurements on one real control plane. */
interface Surroundings {
  readonly arena: Arena;
  readonly machine: Machine;
  /** The paths of the bundles, by app. */
  readonly bundles: ReadonlyMap<string, string>;
}

/** Bundles the apps, starts a control plane, and ends and removes everything when `measure` is done. */
async function withControlPlane<T>(
  apps: readonly string[],
  options: Pick<RealControlPlaneOptions, 'disableAdmissionPlugins' | 'auditRules'>,
  signal: AbortSignal,
  measure: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  const load = currentLoad();
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const bundles = new Map<string, string>();
    for (const app of apps) {
      bundles.set(app, await copyBundle(app, folder, say));
      signal.throwIfAborted();
    }
    say('starting etcd and kube-apiserver');
    const plane = await startRealControlPlane({ release: kubernetesRelease, ...options });
    undo.push(() => plane.stop());
    signal.throwIfAborted();
    const api = connectToCluster(plane.kubeconfig);
    const closeApi = (): void => void api.close();
    signal.addEventListener('abort', closeApi);
    undo.push(() => api.close());
    const { gitVersion } = await api.get<{ readonly gitVersion: string }>('/version');
    const arena = { plane, api, folder, signal };
    return await measure({ arena, machine: readMachine(gitVersion, load), bundles });
  } finally {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await step();
    }
  }
}

/**
 * Returns both programs of a benchmark, for the same API server.
 *
 * @throws if upstream's program is missing
 */
function contestantsOf(
  { holdfast, upstream }: Benchmark,
  { arena, bundles }: Surroundings,
  binaries: string,
  flags: readonly string[] = [],
): Readonly<Record<'holdfast' | 'upstream', Program>> {
  const { kubeconfigFile } = arena.plane;
  return {
    holdfast: holdfastApp(bundles.get(holdfast.app) ?? '', kubeconfigFile, [...holdfast.flags, ...flags]),
    upstream:
      upstream.program === 'csi-provisioner'
        ? csiProvisioner(pathOfTool(upstream.program), kubeconfigFile, flags)
        : kubeControllerManager(binaries, kubeconfigFile, upstream.controllers, flags),
  };
}

/** @throws if it is missing, with what to do */
function pathOfTool(name: ToolName): string {
  const found = findTool(name);
  if (!found.found) {
    throw new Error(found.reason);
  }
  return found.path;
}

/** @throws if a program that runs beside the apps is missing, before anything is built and started for it */
function checkUpstream({ upstream }: Benchmark): void {
  if (upstream.program === 'csi-provisioner') {
    pathOfTool(upstream.program);
  }
}

/** @returns whether all rounds did their work */
async function runRace(
  { benchmark, sizes, rounds, json }: Command & { readonly kind: 'race' },
  signal: AbortSignal,
): Promise<boolean> {
  const binaries = await checkSurroundings(json);
  checkUpstream(benchmark);
  const { app } = benchmark.holdfast;
  const options = { disableAdmissionPlugins: benchmark.disabledAdmissionPlugins };
  return withControlPlane([app], options, signal, async (surroundings) => {
    const { arena, machine } = surroundings;
    print(`${benchmark.name}: ${benchmark.summary}; ${sizesText(sizes)}`);
    print(machineLine(machine));

    const results: Result[] = [];
    const opened = await benchmark.open?.(arena.folder);
    try {
      const programs = contestantsOf(benchmark, surroundings, binaries.folder, opened?.flags);
      for await (const result of race({ benchmark, sizes, rounds, programs, arena, say })) {
        results.push(result);
        print(resultLine(result));
      }
    } finally {
      await opened?.close();
    }
    const comparisons = summarize(results);
    print('');
    print(summaryTable(comparisons));
    if (json !== undefined) {
      const report = { benchmark: benchmark.name, sizes, rounds, machine, results, comparisons };
      await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
    }
    return results.every(({ kind }) => kind === 'finished');
  });
}

/** @throws if an app does not do its work */
async function runTrial(
  { trial, sizes, rounds, json }: Command & { readonly kind: 'trial' },
  signal: AbortSignal,
): Promise<void> {
  await checkSurroundings(json);
  const { name, summary, apps, disabledAdmissionPlugins } = trial;
  const options = { disableAdmissionPlugins: disabledAdmissionPlugins, auditRules };
  await withControlPlane(apps, options, signal, async ({ arena, machine, bundles }) => {
    print(`${name}: ${summary}; ${sizesText(sizes)}`);
    print(machineLine(machine));
    const bundleOf = (app: string): string => {
      const bundle = bundles.get(app);
      if (bundle === undefined) {
        throw new Error(`${name} does not name ${app} among its apps`);
      }
      return bundle;
    };
    const results: (readonly TrialFigure[])[] = [];
    for (let round = 1; round <= rounds; round++) {
      const saying = (what: string): void => say(`round ${String(round)}: ${what}`);
      const figures = await trial.measure({ arena, bundleOf, say: saying }, sizes);
      results.push(figures);
      // If there is only one round, the table already shows everything.
      if (rounds > 1) {
        print(trialLine(round, figures));
      }
    }
    const summaries = summarizeTrial(results);
    print('');
    print(trialTable(summaries));
    if (json !== undefined) {
      const report = { benchmark: name, sizes, rounds, machine, results, summaries };
      await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
    }
  });
}

/** @throws if a contestant does not start */
async function runStarts(
  { rounds, json }: Command & { readonly kind: 'start' },
  signal: AbortSignal,
): Promise<void> {
  const binaries = await checkSurroundings(json);
  const apps = pairs.map(({ app }) => app);
  await withControlPlane(apps, {}, signal, async ({ arena, machine, bundles }) => {
    const { name, summary } = startComparison;
    print(`${name}: ${summary}`);
    print(machineLine(machine));
    const results: StartResult[] = [];
    for await (const result of compareStarts({
      pairs,
      rounds,
      arena,
      binaries: binaries.folder,
      bundles,
      say,
    })) {
      results.push(result);
      print(startLine(result));
    }
    const comparisons = compareStartFigures(results);
    print('');
    print(startTable(comparisons));
    if (json !== undefined) {
      const report = { benchmark: name, rounds, machine, results, comparisons };
      await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
    }
  });
}

/** @returns whether all rounds did their work */
async function runGrowth(
  { counts, apps, rounds, json }: Command & { readonly kind: 'growth' },
  signal: AbortSignal,
): Promise<boolean> {
  const binaries = await checkSurroundings(json);
  const chosen = courses.filter(({ benchmark }) => apps?.includes(benchmark.holdfast.app) ?? true);
  for (const { benchmark } of chosen) {
    checkUpstream(benchmark);
  }
  const date = new Date().toISOString();
  const results: GrowthResult[] = [];
  const load = currentLoad();
  let machine: Machine | undefined;
  let report: GrowthReport | undefined;
  for (const [step, count] of counts.entries()) {
    for (const course of chosen) {
      const { holdfast, disabledAdmissionPlugins, open } = course.benchmark;
      const { app } = holdfast;
      await withControlPlane(
        [app],
        { disableAdmissionPlugins: disabledAdmissionPlugins },
        signal,
        async (surroundings) => {
          const { arena, machine: here } = surroundings;
          if (machine === undefined) {
            machine = { ...here, load };
            print(machineLine(machine));
          }
          const opened = await open?.(arena.folder);
          try {
            const programs = contestantsOf(course.benchmark, surroundings, binaries.folder, opened?.flags);
            for await (const result of grow({ course, count, rounds, step, programs, arena, say })) {
              results.push(result);
              print(`${app}  ${String(result.objects)}  ${resultLine(result.result)}`);
            }
          } finally {
            await opened?.close();
          }
          report = {
            benchmark: 'growth',
            date,
            rounds,
            machine,
            courses: chosen.map(({ benchmark, work, objects }) => ({
              app: benchmark.holdfast.app,
              work,
              objects,
              upstream: namesOf(benchmark.upstream),
            })),
            results,
          };
          if (json !== undefined) {
            // Written after each step, so that a later failure does not lose the measurements of many
            // minutes.
            await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
          }
        },
      );
    }
  }
  for (const { benchmark } of chosen) {
    if (report !== undefined) {
      print(`\n${benchmark.holdfast.app}`);
      print(alignColumns(growthRows(report, benchmark.holdfast.app)));
    }
  }
  return results.every(({ result }) => result.kind === 'finished');
}

/** @throws if one of the reports does not exist */
async function writeGrowthPage(files: readonly string[]): Promise<void> {
  const reports = await Promise.all(
    files.map(async (file) => {
      const report = JSON.parse(await readFile(file, 'utf8')) as Partial<GrowthReport>;
      if (report.benchmark !== 'growth') {
        throw new UsageError(`--report is "${file}": it is no report of growth`);
      }
      return report as GrowthReport;
    }),
  );
  const docs = join(import.meta.dirname, '..', '..', '..', 'docs');
  for (const [path, text] of growthPage(reports)) {
    await mkdir(dirname(join(docs, path)), { recursive: true });
    await writeFile(join(docs, path), text);
    print(`docs/${path}`);
  }
}

/** @throws if a server does not answer as it should */
async function runComparison(
  { sizes, rounds, json }: Command & { readonly kind: 'api-server' },
  signal: AbortSignal,
): Promise<void> {
  await checkSurroundings(json);
  const machine = readMachine(kubernetesRelease, currentLoad());
  const { name, summary } = apiServerComparison;
  print(`${name}: ${summary}; ${sizesText(sizes)}`);
  print(machineLine(machine));
  const results: ServerResult[] = [];
  for await (const result of compareServers({ sizes, rounds, signal, say })) {
    results.push(result);
    print(serverLine(result, sizes));
  }
  const comparisons = compareFigures(results);
  print('');
  print(serverTable(comparisons, sizes));
  if (json !== undefined) {
    const report = { benchmark: name, sizes, rounds, machine, results, comparisons };
    await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
}

function sizesText(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}

/** @throws if nothing can be measured here, or the report cannot be written */
async function checkSurroundings(
  json: string | undefined,
): Promise<Extract<FoundBinaries, { readonly found: true }>> {
  if (process.platform !== 'linux') {
    throw new Error('figures come from /proc, which only Linux has: run it in a Linux machine or container');
  }
  if (json !== undefined) {
    await checkWritable(json);
  }
  const binaries = findBinaries({ release: kubernetesRelease });
  if (!binaries.found) {
    throw new Error(binaries.reason);
  }
  return binaries;
}

/** @throws UsageError now, instead of an error after the race */
async function checkWritable(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK);
  } catch {
    throw new UsageError(`--json is "${file}": nothing can be written to ${dirname(file)}`);
  }
}

async function run(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => interrupted.abort(signal);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const command = readCommand(args, benchmarks, trials);
    switch (command.kind) {
      case 'help':
        process.stdout.write(help(benchmarks, trials));
        return 0;
      case 'race':
        return (await runRace(command, interrupted.signal)) ? 0 : 1;
      case 'trial':
        await runTrial(command, interrupted.signal);
        return 0;
      case 'start':
        await runStarts(command, interrupted.signal);
        return 0;
      case 'growth':
        return (await runGrowth(command, interrupted.signal)) ? 0 : 1;
      case 'growth-page':
        await writeGrowthPage(command.reports);
        return 0;
      case 'api-server':
        await runComparison(command, interrupted.signal);
        return 0;
    }
  } catch (error) {
    if (interrupted.signal.aborted) {
      say(`stopped by ${String(interrupted.signal.reason)}; everything started was ended`);
      return interrupted.signal.reason === 'SIGINT' ? 130 : 143;
    }
    if (error instanceof UsageError) {
      say(`${error.message}; see --help`);
      return 2;
    }
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

process.exitCode = await run(process.argv.slice(2));
