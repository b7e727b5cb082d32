import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { perturbationKinds, type PerturbationKind } from '@holdfast/testing/perturbation';
import type { PerturbedApp } from './apps.ts';

/** An error in the command line, described in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'perturb';
      readonly apps: readonly PerturbedApp[];
      /** Undefined for all. */
      readonly scenario: string | undefined;
      /** Undefined for all. */
      readonly only: PerturbationKind | undefined;
      /** The numbers of the perturbations of a single run. */
      readonly at: readonly number[] | undefined;
      readonly shards: number;
      /** The number of runs with two perturbations, in place of those with one. 0: none. */
      readonly pairs: number;
      /** The seed that chooses the pairs; undefined for a random one. */
      readonly seed: number | undefined;
      /** The file for the report. */
      readonly json: string | undefined;
      /** Played in place of the app's own. */
      readonly bundle: string | undefined;
    };

export const help = `npm run perturb -- [APP] [flags]

Plays each scenario of a controller once, learns what passes between it and the API server, and plays it again with one thing going
wrong at each place. Default: all controllers.

  --scenario NAME   Only this scenario.
  --kind KIND       Only this kind of perturbation: ${perturbationKinds.join(', ')}.
  --at N[,N]        Only the perturbation of this number, or two together, as a failure names them. Needs APP and --scenario.
  --shards N        Processes that play side by side. Default: one for each core.
  --pairs N         Plays N runs of each controller with two perturbations instead, chosen at random.
  --seed S          Chooses the pairs. Default: a fresh seed, which is printed.
  --json FILE       Writes the report there, besides reports/perturb/.
  --bundle FILE     A bundle to play in place of apps/APP/dist/main.js. Needs APP.
`;

/** @throws UsageError */
export function readCommand(args: readonly string[], apps: readonly PerturbedApp[]): Command {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    return { kind: 'help' };
  }
  const [name, ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError(`unexpected argument "${more.join(' ')}": one controller at a time; see --help`);
  }
  const app =
    name === undefined
      ? undefined
      : oneOf(
          'APP',
          name,
          apps.map((each) => each.name),
        );
  const chosen = apps.filter((each) => app === undefined || each.name === app);
  const scenario = values.scenario;
  if (scenario !== undefined) {
    oneOf(
      '--scenario',
      scenario,
      chosen.flatMap(({ scenarios }) => scenarios.map((each) => each.name)),
    );
  }
  const { kind } = values;
  const only = kind === undefined ? undefined : oneOf('--kind', kind, perturbationKinds);
  const at = values.at?.split(',').map((each) => wholeNumber('--at', each, 0));
  if (at !== undefined && (app === undefined || scenario === undefined || at.length > 2)) {
    throw new UsageError('--at takes one number or two, and needs a controller and --scenario');
  }
  if (values.bundle !== undefined && app === undefined) {
    throw new UsageError('--bundle needs a controller');
  }
  return {
    kind: 'perturb',
    apps: chosen,
    scenario,
    only,
    at,
    shards: values.shards === undefined ? availableParallelism() : wholeNumber('--shards', values.shards, 1),
    pairs: values.pairs === undefined ? 0 : wholeNumber('--pairs', values.pairs, 1),
    seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed, 0),
    json: values.json,
    bundle: values.bundle,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scenario: text,
        kind: text,
        at: text,
        shards: text,
        pairs: text,
        seed: text,
        json: text,
        bundle: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}; see --help`);
  }
}

function oneOf<Choice extends string>(flag: string, value: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    throw new UsageError(`${flag}: "${value}" is none of ${[...new Set(choices)].join(', ')}`);
  }
  return found;
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw new UsageError(`${flag}: "${text}" is no whole number of at least ${String(least)}`);
  }
  return value;
}
