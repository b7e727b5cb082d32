import { parseArgs } from 'node:util';
import { apiServerComparison, type ComparisonSizes } from './api-server/comparison.ts';
import type { Benchmark } from './benchmark.ts';
import { courses } from './growth/courses.ts';
import { defaultCounts, growthComparison } from './growth/growth-comparison.ts';
import { startComparison } from './start/start-comparison.ts';
import type { Trial } from './trials/trial.ts';

/** An error in the command line, described in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'race';
      readonly benchmark: Benchmark;
      /** The number of rounds that count. */
      readonly rounds: number;
      /** A value for each of the benchmark's sizes. */
      readonly sizes: Readonly<Record<string, number>>;
      /** The file for the report. */
      readonly json: string | undefined;
    }
  | {
      readonly kind: 'trial';
      readonly trial: Trial;
      readonly rounds: number;
      /** A value for each of the trial's sizes. */
      readonly sizes: Readonly<Record<string, number>>;
      /** The file for the report. */
      readonly json: string | undefined;
    }
  | {
      readonly kind: 'start';
      /** The number of rounds that count. */
      readonly rounds: number;
      /** The file for the report. */
      readonly json: string | undefined;
    }
  | {
      readonly kind: 'growth';
      /** The numbers of claims or volumes, in ascending order. */
      readonly counts: readonly number[];
      /** The apps to run; undefined for all. */
      readonly apps: readonly string[] | undefined;
      /** The number of rounds at each size. */
      readonly rounds: number;
      /** The file for the report. */
      readonly json: string | undefined;
    }
  | {
      readonly kind: 'growth-page';
      /** The paths of reports that `growth` has written. */
      readonly reports: readonly string[];
    }
  | {
      readonly kind: 'api-server';
      readonly rounds: number;
      readonly sizes: ComparisonSizes;
      /** The file for the report. */
      readonly json: string | undefined;
    };

/** The part of a benchmark or trial that the command line needs. */
type Sized = Pick<Benchmark, 'name' | 'summary' | 'sizes'>;

const defaultRounds = 5;
/** A trial has no rival whose luck has to be averaged out, and takes minutes; growth takes many minutes. */
const defaultTrialRounds = 1;

/** Flags of {@link growthComparison} only. */
const growthFlags = ['sizes', 'apps', 'report'];

/** @throws UsageError for arguments that no benchmark has, or not the named one */
export function readCommand(
  args: readonly string[],
  benchmarks: readonly Benchmark[],
  trials: readonly Trial[],
): Command {
  const all: readonly Sized[] = [
    ...benchmarks,
    ...trials,
    startComparison,
    growthComparison,
    apiServerComparison,
  ];
  const sizeNames = all.flatMap(({ sizes }) => Object.keys(sizes));
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      json: { type: 'string' },
      ...Object.fromEntries(growthFlags.map((name) => [name, { type: 'string' } as const])),
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(sizeNames.map((name) => [name, { type: 'string' } as const])),
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const names: string[] = [];
  const flags = new Map<string, string>();
  for (const token of tokens) {
    switch (token.kind) {
      case 'option-terminator':
        break;
      case 'positional':
        names.push(token.value);
        break;
      case 'option':
        if (token.name === 'help') {
          return { kind: 'help' };
        }
        if (token.value === undefined) {
          throw new UsageError(`${token.rawName} needs a value`);
        }
        flags.set(token.name, token.value);
        break;
    }
  }
  const picked = pick(names, all);
  const json = flags.get('json');
  if (json === '') {
    throw new UsageError('--json is "": it must name a file');
  }
  const known = [
    'rounds',
    'json',
    ...Object.keys(picked.sizes),
    ...(picked === growthComparison ? growthFlags : []),
  ];
  for (const flag of flags.keys()) {
    if (!known.includes(flag)) {
      const has = known.map((name) => `--${name}`).join(', ');
      throw new UsageError(`--${flag} is no flag of ${picked.name}, which has ${has}`);
    }
  }
  const trial = trials.find((candidate) => candidate === picked);
  const isShort = trial === undefined && picked !== growthComparison;
  const usualRounds = isShort ? defaultRounds : defaultTrialRounds;
  const rounds = readCount('rounds', flags.get('rounds')) ?? usualRounds;
  if (trial !== undefined) {
    return { kind: 'trial', trial, rounds, sizes: readSizes(trial.sizes, flags), json };
  }
  if (picked === startComparison) {
    return { kind: 'start', rounds, json };
  }
  if (picked === growthComparison) {
    const report = flags.get('report');
    if (report !== undefined) {
      return { kind: 'growth-page', reports: readReports(report, flags) };
    }
    const counts = flags.get('sizes')?.split(',') ?? [];
    return {
      kind: 'growth',
      counts: flags.has('sizes') ? readRising(counts) : defaultCounts,
      apps: readApps(flags.get('apps')),
      rounds,
      json,
    };
  }
  const benchmark = benchmarks.find((candidate) => candidate === picked);
  if (benchmark === undefined) {
    return { kind: 'api-server', rounds, sizes: readSizes(apiServerComparison.sizes, flags), json };
  }
  return { kind: 'race', benchmark, rounds, sizes: readSizes(benchmark.sizes, flags), json };
}

function readSizes<Name extends string>(
  sizes: Benchmark<Name>['sizes'],
  flags: ReadonlyMap<string, string>,
): Record<Name, number> {
  const given = Object.entries<Benchmark['sizes'][string]>(sizes).map(([name, size]) => [
    name,
    readCount(name, flags.get(name)) ?? size.default,
  ]);
  return Object.fromEntries(given) as Record<Name, number>;
}

function readRising(values: readonly string[]): readonly number[] {
  const counts = values.map((value) => readCount('sizes', value) ?? NaN);
  if (counts.some((count, index) => count <= (counts[index - 1] ?? 0))) {
    throw new UsageError(`--sizes is "${values.join(',')}": each must be larger than the one before it`);
  }
  return counts;
}

function readApps(value: string | undefined): readonly string[] | undefined {
  const known = courses.map(({ benchmark }) => benchmark.holdfast.app);
  const apps = value?.split(',');
  const unknown = apps?.find((app) => !known.includes(app));
  if (unknown !== undefined) {
    throw new UsageError(`--apps has "${unknown}": there is ${known.join(', ')}`);
  }
  return apps;
}

function readReports(value: string, flags: ReadonlyMap<string, string>): readonly string[] {
  const reports = value.split(',');
  if (reports.includes('')) {
    throw new UsageError(
      `--report is "${value}": it must name files that --json has written, with a comma between two`,
    );
  }
  const other = [...flags.keys()].find((flag) => flag !== 'report');
  if (other !== undefined) {
    throw new UsageError(`--report makes the page of figures that are there: --${other} says nothing to it`);
  }
  return reports;
}

function pick(names: readonly string[], benchmarks: readonly Sized[]): Sized {
  const known = benchmarks.map(({ name }) => name).join(', ');
  const [name, ...more] = names;
  if (name === undefined) {
    throw new UsageError(`name a benchmark: ${known}`);
  }
  if (more.length > 0) {
    throw new UsageError(`one benchmark at a time: unexpected argument "${more.join(' ')}"`);
  }
  const benchmark = benchmarks.find((candidate) => candidate.name === name);
  if (benchmark === undefined) {
    throw new UsageError(`no benchmark is called "${name}": there is ${known}`);
  }
  return benchmark;
}

function readCount(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const count = /^\d+$/.test(value) ? Number(value) : NaN;
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new UsageError(`--${flag} is "${value}": it must be a whole number, 1 or more`);
  }
  return count;
}

export function help(benchmarks: readonly Benchmark[], trials: readonly Trial[]): string {
  const list = (of: readonly Sized[]): string => of.flatMap(entry).join('\n');
  const entry = ({ name, summary, sizes }: Sized): readonly string[] => [
    `  ${name.padEnd(15)}${summary}`,
    ...Object.entries(sizes).map(
      ([size, { default: value, description }]) =>
        `    --${`${size} N`.padEnd(14)}${description}, default ${String(value)}`,
    ),
  ];
  return `Usage: npm run bench -- <benchmark> [flags]

Races Holdfast's controllers against upstream's, in turn, at the same work on a real API server, and
prints wall time, CPU time and peak memory of the controller's process. Linux only, with the programs that
"npm run control-plane" gets.

Races:
${list(benchmarks)}

By itself:
${list(trials)}

Beside each other:
${list([startComparison, growthComparison])}
    --sizes N,...   claims or volumes, rising, default ${defaultCounts.join(',')}
    --apps NAME,... some of the apps, default all
    --report FILES  no run: makes docs/benchmarks.md and its images from reports of --json; of each app the newest counts
${list([apiServerComparison])}

  --rounds N      rounds that count, each of both contestants; races and starts have one more to warm up; default ${String(defaultRounds)}, ${String(defaultTrialRounds)} by itself and of growth
  --json FILE     write a report for machines too
  --help          this text

Exit codes: 0 all rounds did their work, 1 one did not or could not be run, 2 wrong usage.
`;
}
