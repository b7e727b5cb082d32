import {
  describePerturbation,
  perturbationsOf,
  type Lesson,
  type Perturbation,
  type PerturbationKind,
} from '@holdfast/testing/perturbation';
import type { PerturbedApp } from './apps.ts';
import { samplePairs } from './pairs.ts';
import type { Report, ReportedFailure, ReportedRun, ReportedScenario } from './report/report.ts';
import type { Shards } from './shards.ts';

export interface CampaignOptions {
  readonly app: PerturbedApp;
  readonly scenario: string | undefined;
  readonly only: PerturbationKind | undefined;
  readonly at: readonly number[] | undefined;
  readonly pairs: number;
  readonly seed: number;
  readonly bundle: string | undefined;
}

/** Perturbations with their numbers in the scenario. */
interface Choice {
  readonly numbers: readonly number[];
  readonly perturbations: readonly Perturbation[];
}

interface Learned {
  readonly name: string;
  readonly description: string;
  readonly lesson: Lesson;
  readonly all: readonly Perturbation[];
}

/**
 * Learns the scenarios of an app, and plays them with what is chosen.
 *
 * @param progress called with how many runs are over, of how many.
 * @throws when a scenario can't be learned
 */
export async function runCampaign(
  options: CampaignOptions,
  shards: Shards,
  progress: (done: number, all: number) => void,
): Promise<Report> {
  const { app, scenario, pairs, seed, bundle } = options;
  const learned = await Promise.all(
    app.scenarios
      .filter(({ name }) => scenario === undefined || name === scenario)
      .map(async ({ name, description }): Promise<Learned> => {
        const lesson = await shards.run({ kind: 'learn', app: app.name, scenario: name, bundle });
        return { name, description, lesson, all: perturbationsOf(lesson) };
      }),
  );
  const chosen = choose(learned, options);
  const total = [...chosen.values()].reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  const failures: ReportedFailure[] = [];

  const playOne = async ({ name, lesson: { ends } }: Learned, { numbers, perturbations }: Choice) => {
    const played = await shards.run({
      kind: 'play',
      app: app.name,
      scenario: name,
      bundle,
      perturbations,
      ends,
    });
    done += 1;
    progress(done, total);
    const { outcome, problem, isReached, ownEnds, trace } = played;
    if (outcome !== 'held') {
      failures.push({
        scenario: name,
        kinds: perturbations.map(({ kind }) => kind),
        perturbations: perturbations.map(describePerturbation),
        outcome,
        problem,
        trace,
        replay: `npm run perturb -- ${app.name} --scenario=${name} --at=${numbers.join()}${bundle === undefined ? '' : ` --bundle=${bundle}`}`,
      });
    }
    return { numbers, kinds: perturbations.map(({ kind }) => kind), outcome, isReached, ownEnds };
  };

  const scenarios = await Promise.all(
    learned.map(async (each): Promise<ReportedScenario> => {
      const runs: readonly ReportedRun[] = await Promise.all(
        (chosen.get(each.name) ?? []).map((choice) => playOne(each, choice)),
      );
      const { requests, events, unstable } = each.lesson;
      return {
        name: each.name,
        description: each.description,
        requests: requests.length,
        writes: requests.filter(({ effect }) => effect === 'write').length,
        events: events.length,
        unstable,
        perturbations: each.all.length,
        runs,
      };
    }),
  );
  return {
    app: app.name,
    pairs,
    ...(pairs === 0 ? {} : { seed }),
    scenarios,
    failures: failures.toSorted((a, b) => a.trace.length - b.trace.length),
  };
}

function choose(
  learned: readonly Learned[],
  { only, at, pairs, seed }: CampaignOptions,
): ReadonlyMap<string, readonly Choice[]> {
  if (pairs > 0) {
    return samplePairs(
      learned.map(({ name, all }) => ({ name, all: numbered(all, only) })),
      pairs,
      seed,
    );
  }
  return new Map(
    learned.map(({ name, all }) => {
      if (at !== undefined) {
        const perturbations = at.map((number) => {
          const found = all[number];
          if (found === undefined) {
            throw new Error(
              `${name} has perturbations 0 to ${String(all.length - 1)}, and no ${String(number)}`,
            );
          }
          return found;
        });
        return [name, [{ numbers: at, perturbations }]];
      }
      return [
        name,
        numbered(all, only).map(([number, perturbation]) => ({
          numbers: [number],
          perturbations: [perturbation],
        })),
      ];
    }),
  );
}

function numbered(
  all: readonly Perturbation[],
  only: PerturbationKind | undefined,
): readonly (readonly [number, Perturbation])[] {
  return [...all.entries()].filter(([, { kind }]) => only === undefined || kind === only);
}
