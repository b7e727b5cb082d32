import fc from 'fast-check';
import { commandsOf, setScene, setShape } from './commands.ts';
import { appNames, type AppName } from './model.ts';
import { pvReclaimHonor } from './models/pv-reclaim-honor.ts';
import { pvcProtection } from './models/pvc-protection.ts';
import { retroactiveDefault } from './models/retroactive-default-sc.ts';
import { statefulSetRetention } from './models/statefulset-pvc-retention.ts';
import { createWorld } from './world.ts';

const models = [pvcProtection, statefulSetRetention, pvReclaimHonor, retroactiveDefault];

export interface PlayOptions {
  readonly runs: number;
  readonly seed: number;
  /** The path of a failed run, as the report gives it. Default: all runs. */
  readonly path?: string;
  /** Which commands of that run were left out, as the report gives it. */
  readonly replayPath?: string;
  /** The apps whose stories are told. Default: all. */
  readonly apps?: readonly AppName[];
  /** The maximum number of commands in a run. Default 25. */
  readonly length?: number;
  /** After this many milliseconds no further run begins, and a failure is no longer shrunk. Default: none. */
  readonly limit?: number;
  /** Called after each run. */
  readonly onRun?: (run: { readonly commands: number; readonly failure: Error | undefined }) => void;
}

export interface Played {
  readonly runs: number;
  readonly commands: number;
  /** How the failure came about, and how to reproduce it; undefined if every run held. */
  readonly failure: string | undefined;
}

/** Plays random stories, each in a new world, until one breaks a promise; then that one is shrunk. */
export async function play(options: PlayOptions): Promise<Played> {
  const { runs, seed, path, replayPath, apps = appNames, length = 25, limit = Infinity, onRun } = options;
  const began = performance.now();
  let played = 0;
  let commandsPlayed = 0;
  const stories = fc.commands(commandsOf(apps), {
    maxCommands: length,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  const holds = fc.asyncProperty(stories, setShape, fc.nat(), async (story, shape, faultSeed) => {
    if (performance.now() - began > limit) {
      return;
    }
    let failure: Error | undefined;
    const world = await createWorld({ models, seed: faultSeed });
    try {
      const plan = await setScene(world, shape);
      await fc.asyncModelRun(() => ({ model: plan, real: world }), story);
      world.begin('in the end');
      await world.rest();
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      played += 1;
      commandsPlayed += world.commands;
      onRun?.({ commands: world.commands, failure });
      await world.close();
    }
  });
  const result = await fc.check(holds, {
    numRuns: runs,
    seed,
    ...(path === undefined ? {} : { path }),
  });
  return {
    runs: played,
    commands: commandsPlayed,
    failure: result.failed && result.counterexample !== null ? storyOf(result) : undefined,
  };
}

function storyOf(result: {
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
  readonly numShrinks: number;
  readonly errorInstance: unknown;
}): string {
  const { seed, counterexamplePath, counterexample, numShrinks, errorInstance } = result;
  const replay = /replayPath="([^"]*)"/.exec(String(counterexample?.[0]))?.[1];
  const again = [
    `--seed ${String(seed)}`,
    `--path ${counterexamplePath ?? ''}`,
    ...(replay === undefined ? [] : [`--replay-path ${replay}`]),
  ].join(' ');
  return `${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}\n\nshortened ${String(numShrinks)} times; again: npm run models -- ${again}`;
}
