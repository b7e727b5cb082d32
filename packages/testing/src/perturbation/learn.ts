import type { Operator } from './operator.ts';
import type { Learned } from './perturbations-of.ts';
import type { Place } from './place.ts';
import { play, type Run } from './play.ts';
import type { Projection } from './projection.ts';
import type { Scenario } from './scenario.ts';

/** What undisturbed runs of a scenario have shown. */
export interface Lesson extends Learned {
  /** The states before the first step and after each step. */
  readonly ends: readonly Projection[];
  /** Places that occurred in one of the runs but not in the other. They are perturbed too. */
  readonly unstable: readonly Place[];
}

/**
 * Plays a scenario twice without perturbations.
 *
 * @throws if a run does not hold, or if the two runs reach different ends: the outcome of a scenario must not
 *   depend on chance
 */
export async function learn(operator: Operator, scenario: Scenario, patience?: number): Promise<Lesson> {
  const options = { operator, scenario, ...(patience === undefined ? {} : { patience }) };
  const first = checked(scenario, await play(options));
  const second = checked(scenario, await play({ ...options, ends: first.ends }));
  const requests = merge(first.requests, second.requests);
  const events = merge(first.events, second.events);
  return {
    requests: requests.all,
    events: events.all,
    unstable: [...requests.unstable, ...events.unstable],
    ends: first.ends,
  };
}

function checked(scenario: Scenario, run: Run): Run {
  if (run.outcome !== 'held') {
    throw new Error(
      `scenario ${scenario.name}, undisturbed, is ${run.outcome}: ${run.problem}\n${run.trace.join('\n')}`,
    );
  }
  return run;
}

function merge<T extends { readonly place: Place }>(
  first: readonly T[],
  second: readonly T[],
): { readonly all: readonly T[]; readonly unstable: readonly Place[] } {
  const [inFirst, inSecond] = [first, second].map((each) => new Set(each.map(({ place }) => place)));
  const late = second.filter(({ place }) => inFirst?.has(place) === false);
  const lost = first.filter(({ place }) => inSecond?.has(place) === false);
  return { all: [...first, ...late], unstable: [...lost, ...late].map(({ place }) => place) };
}
