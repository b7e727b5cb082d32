import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOrphanGuard, type OrphanGuard } from '@holdfast/testing';
import type { Outcome } from './e2e/outcome.ts';
import { rounds, type Part } from './e2e/parts.ts';
import { findPrograms, type Programs } from './e2e/programs.ts';
import { countsOf, tableOf, type Row } from './e2e/result.ts';
import { runTest, type TestRun } from './e2e/run-test.ts';
import { players, startWorld, type Player } from './e2e/world.ts';
import { garbageCollection } from './garbage-collection.ts';

/*
 * `npm run test:e2e`: runs Kubernetes' own end-to-end tests of what our controllers do, with the stock
 * controllers and with ours. A missing program is not built; the tests then count as skipped, in capitals.
 * HOLDFAST_REQUIRE_REAL=true makes that a failure. The last line is `N passed, N failed, N skipped`;
 * reports/test-e2e.json has the same numbers, and reports/e2e/table.md has the table.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const reports = join(root, 'reports');

const help = `Usage: npm run test:e2e -- [--player ${players.join('|')}]... [--app NAME]...

Runs Kubernetes' own end-to-end tests on a real control plane, each with the stock controller and with ours in its place.

  --player  stock: nothing is replaced; holdfast: ours in the place of the stock ones; nobody: the stock ones are left out and nothing takes
            their place, to see that the tests notice. May be given more than once. Default: stock and holdfast
  --app     only the tests of what this controller replaces: ${rounds
    .flat()
    .map(({ app }) => app)
    .join(', ')}. May be given more than once
  --help    this text

Exit codes: 0, 1 a test failed, 2 wrong usage.
`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`test:e2e: ${line}\n`);

class UsageError extends Error {}

interface Command {
  readonly help: boolean;
  readonly players: readonly Player[];
  readonly rounds: readonly (readonly Part[])[];
}

function readCommand(args: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...args],
    options: {
      player: { type: 'string', multiple: true, default: ['stock', 'holdfast'] },
      app: { type: 'string', multiple: true, default: rounds.flat().map(({ app }) => app) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const strangers = values.player.filter((name) => !players.some((player) => player === name));
  if (strangers.length > 0) {
    throw new UsageError(`--player is "${strangers[0]}": it may be ${players.join(', ')}`);
  }
  const known = rounds.flat().map(({ app }) => app);
  const unknown = values.app.filter((name) => !known.some((app) => app === name));
  if (unknown.length > 0) {
    throw new UsageError(`--app is "${unknown[0]}": it may be ${known.join(', ')}`);
  }
  return {
    help: values.help,
    players: players.filter((player) => values.player.includes(player)),
    rounds: rounds
      .map((round) => round.filter(({ app }) => values.app.includes(app)))
      .filter((round) => round.length > 0),
  };
}

interface Result {
  readonly player: Player;
  readonly test: string;
  readonly outcome: Outcome;
}

/**
 * Returns how each test of these rounds ended. If a test could not be run because a program did not start or
 * ended by itself, its outcome says so.
 */
async function play(
  player: Player,
  chosen: Command['rounds'],
  programs: Programs,
  scratch: string,
  guard: OrphanGuard,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  try {
    const world = await startWorld(player, programs);
    const run: TestRun = {
      e2e: programs.e2e,
      kubectl: programs.kubectl,
      kubeconfig: world.kubeconfig,
      reports: join(reports, 'e2e', player),
      scratch,
      guard,
    };
    try {
      for (const parts of chosen) {
        await world.turnTo(parts);
        await Promise.all(
          parts
            .flatMap(({ tests }) => tests)
            .map(async ({ name, lens }) => {
              const outcome = await runTest(name, run, player === 'stock' ? undefined : lens);
              say(`${player}: ${outcome.state}: ${name}`);
              results.push({ player, test: name, outcome });
            }),
        );
        const casualties = world.casualties();
        if (casualties.length > 0) {
          throw new Error(casualties.join('\n'));
        }
      }
    } finally {
      await world.stop();
    }
    return results;
  } catch (error) {
    say(`${player}: ${String(error)}`);
    const outcome: Outcome = { state: 'none', seconds: undefined, message: String(error) };
    return chosen
      .flat()
      .flatMap(({ tests }) => tests)
      .map(({ name }) => ({ player, test: name, outcome }));
  }
}

async function writeReport(counts: ReturnType<typeof countsOf>, rows: readonly Row[]): Promise<void> {
  await mkdir(reports, { recursive: true });
  await writeFile(join(reports, 'test-e2e.json'), JSON.stringify({ ...counts, rows }, undefined, 2));
  const { numPassedTests, numFailedTests, numPendingTests } = counts;
  write(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
}

async function skip(tests: number, reasons: readonly string[]): Promise<number> {
  const rule = '!'.repeat(100);
  const text = [
    `KUBERNETES' OWN END-TO-END TESTS DID NOT RUN: ${tests} SKIPPED`,
    '',
    ...reasons,
    '',
    'HOLDFAST_REQUIRE_REAL=true makes this a failure.',
  ];
  write(['', rule, ...text.map((line) => `!! ${line}`.trimEnd()), rule, ''].join('\n'));
  await writeReport({ ...countsOf([], []), numPendingTests: tests }, []);
  return process.env['HOLDFAST_REQUIRE_REAL'] === 'true' ? 1 : 0;
}

async function run(args: readonly string[]): Promise<number> {
  let command: Command;
  try {
    command = readCommand(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}; see --help`);
    return 2;
  }
  if (command.help) {
    process.stdout.write(help);
    return 0;
  }
  const parts = command.rounds.flat();
  const found = findPrograms(root);
  if (!found.found) {
    return skip(parts.flatMap(({ tests }) => tests).length, found.reasons);
  }
  process.env['GOGC'] ??= garbageCollection;
  await rm(join(reports, 'e2e'), { recursive: true, force: true });
  await mkdir(join(reports, 'e2e'), { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-test-e2e-'));
  const guard = await startOrphanGuard(scratch);
  try {
    const results = (
      await Promise.all(
        command.players.map((player) => play(player, command.rounds, found.programs, scratch, guard)),
      )
    ).flat();
    const rows: readonly Row[] = parts.flatMap(({ app, tests }) =>
      tests.map(({ name, lens }) => ({
        app,
        test: name,
        lens: lens?.title,
        outcomes: Object.fromEntries(
          results.filter(({ test }) => test === name).map(({ player, outcome }) => [player, outcome]),
        ),
      })),
    );
    const table = tableOf(rows, command.players);
    await writeFile(join(reports, 'e2e', 'table.md'), `${table}\n`);
    write(table);
    const counts = countsOf(rows, command.players);
    await writeReport(counts, rows);
    return counts.numFailedTests > 0 ? 1 : 0;
  } finally {
    await guard.dismiss();
    await rm(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await run(process.argv.slice(2));
