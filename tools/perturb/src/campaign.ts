import {
  describePerturbation,
  perturbationsOf,
  samplePairs,
  type Lesson,
  type Perturbation,
  type PerturbationKind,
} from '@holdfast/testing/perturbation';
import type { PerturbedApp } from './apps.ts';
import type { Report, ReportedFailure, ReportedRun } from './report/report.ts';
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

/** Is informed about the progress of a campaign. */
export interface CampaignObserver {
  progress(done: number, all: number): void;
  failed(failure: ReportedFailure): void;
}

/**
 * Learns the scenarios of an app, and plays them with the chosen perturbations.
 *
 * @param signal ends it early, once the runs in progress are over; the report then has what was played
 * @throws if a scenario cannot be learned
 */
export async function runCampaign(
  options: CampaignOptions,
  shards: Shards,
  observer: CampaignObserver,
  signal: AbortSignal,
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
  const planned = learned.flatMap((each) =>
    (chosen.get(each.name) ?? []).map((choice) => ({ scenario: each, choice })),
  );
  const runs = new Map<string, ReportedRun[]>(learned.map(({ name }) => [name, []]));
  const failures: ReportedFailure[] = [];
  let done = 0;

  const playOne = async ({ name, lesson: { ends } }: Learned, { numbers, perturbations }: Choice) => {
    const { outcome, problem, isReached, ownEnds, trace } = await shards.run({
      kind: 'play',
      app: app.name,
      scenario: name,
      bundle,
      perturbations,
      ends,
    });
    const kinds = perturbations.map(({ kind }) => kind);
    runs.get(name)?.push({ numbers, kinds, outcome, isReached, ownEnds });
    done += 1;
    observer.progress(done, planned.length);
    if (outcome !== 'held') {
      const failure = {
        scenario: name,
        kinds,
        perturbations: perturbations.map(describePerturbation),
        outcome,
        problem,
        trace,
        replay: `npm run perturb -- ${app.name} --scenario=${name} --at=${numbers.join()}${bundle === undefined ? '' : ` --bundle=${bundle}`}`,
      };
      failures.push(failure);
      observer.failed(failure);
    }
  };

  const left = planned.values();
  await Promise.all(
    Array.from({ length: shards.lanes }, async () => {
      for (const { scenario: each, choice } of left) {
        if (signal.aborted) {
          return;
        }
        await playOne(each, choice);
      }
    }),
  );
  return {
    app: app.name,
    pairs,
    ...(pairs === 0 ? {} : { seed }),
    planned: planned.length,
    scenarios: learned.map(({ name, description, lesson: { requests, events, unstable }, all }) => ({
      name,
      description,
      requests: requests.length,
      writes: requests.filter(({ effect }) => effect === 'write').length,
      events: events.length,
      unstable,
      perturbations: all.length,
      runs: runs.get(name) ?? [],
    })),
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
