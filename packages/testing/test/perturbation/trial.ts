import { expect, test } from '@jest/globals';
import {
  describePerturbation,
  learn,
  perturbationsOf,
  play,
  type Furniture,
  type Lesson,
  type Operator,
  type Run,
  type Scenario,
} from '@holdfast/testing/perturbation';
import { copier, copies, ordersPaper, type CopierFault } from './copier.ts';

/** A perturbation, a fault of the operator that it brings to light, and what the run is then said to be. */
export type Row = readonly [perturbation: string, fault: CopierFault, outcome: Run['outcome'], shown: string];

/** What happens to an operator that orders paper; without a fault it holds. */
export type OrderRow = readonly [
  perturbation: string,
  fault: CopierFault | undefined,
  outcome: Run['outcome'],
];

const shown = new Map<string, Promise<Shown>>();

/** What an undisturbed run of an operator has shown. */
type Shown = Pick<Run, 'requests' | 'events' | 'ends'>;

/**
 * Of an operator with that fault; played once in a file. That two runs show the same is tested of the operator without
 * a fault.
 */
function shownBy<F extends Furniture>(fault: CopierFault | undefined, scenario: Scenario<F>): Promise<Shown> {
  const key = `${scenario.name} ${fault ?? ''}`;
  let found = shown.get(key);
  if (found === undefined) {
    found = fault === undefined ? lessonOf(scenario) : playUndisturbed(copier(fault), scenario);
    shown.set(key, found);
  }
  return found;
}

async function playUndisturbed<F extends Furniture>(
  operator: Operator,
  scenario: Scenario<F>,
): Promise<Shown> {
  const run = await play({ operator, scenario });
  if (run.outcome !== 'held') {
    throw new Error(`${scenario.name}, undisturbed, is ${run.outcome}: ${run.problem}`);
  }
  return run;
}

const lessons = new Map<string, Promise<Lesson>>();

/** Of the operator without a fault; learned once in a file. */
export function lessonOf<F extends Furniture>(scenario: Scenario<F>): Promise<Lesson> {
  let lesson = lessons.get(scenario.name);
  if (lesson === undefined) {
    lesson = learn(copier(), scenario);
    lessons.set(scenario.name, lesson);
  }
  return lesson;
}

/** @param patience of a run that is to fail, in milliseconds: it need not wait for long. */
async function playWith(
  wanted: readonly string[],
  fault: CopierFault | undefined,
  patience?: number,
): Promise<Run> {
  const lesson = await shownBy(fault, copies);
  const known = perturbationsOf(lesson);
  const perturbations = wanted.map((name) => {
    const perturbation = known.find((each) => describePerturbation(each) === name);
    if (perturbation === undefined) {
      throw new Error(`${name} is none of ${known.map(describePerturbation).join('\n')}`);
    }
    return perturbation;
  });
  return play({
    operator: copier(...(fault === undefined ? [] : [fault])),
    scenario: copies,
    perturbations,
    ends: lesson.ends,
    ...(patience === undefined ? {} : { patience }),
  });
}

/** Declares the tests of operators at fault, which run side by side. */
export function testFaulty(table: readonly Row[]): void {
  test.concurrent.each(table)('%s: operator that %s -> %s', async (perturbation, fault, outcome, shown) => {
    const run = await playWith([perturbation], fault, 500);
    expect({ ...run, ends: [] }).toMatchObject({ outcome, isReached: true });
    expect(run.problem).toContain(shown);
  });
}

/** Declares the tests of the operator without a fault, which run side by side. */
export function testSound(perturbations: readonly string[]): void {
  test.concurrent.each(perturbations)('%s: sound operator -> held', async (perturbation) => {
    const { outcome, problem, isReached } = await playWith([perturbation], undefined);
    expect({ outcome, problem, isReached }).toEqual({ outcome: 'held', problem: '', isReached: true });
  });
}

/** Declares the tests of the operator without a fault to which two things happen, which run side by side. */
export function testPairs(pairs: readonly (readonly [string, string])[]): void {
  test.concurrent.each(pairs)('%s, and %s: sound operator -> both happen, and held', async (...pair) => {
    const { outcome, problem, isReached } = await playWith(pair, undefined);
    expect({ outcome, problem, isReached }).toEqual({ outcome: 'held', problem: '', isReached: true });
  });
}

/** Declares the tests of an operator that orders outside of the cluster, which run side by side. */
export function testOrders(table: readonly OrderRow[]): void {
  test.concurrent.each(table)('%s: operator that %s -> %s', async (wanted, fault, outcome) => {
    const operator = copier(...(fault === undefined ? [] : [fault]));
    const lesson = await shownBy(fault, ordersPaper);
    const perturbations = perturbationsOf(lesson).filter((each) => describePerturbation(each) === wanted);
    const run = await play({
      operator,
      scenario: ordersPaper,
      perturbations,
      ends: lesson.ends,
      ...(outcome === 'held' ? {} : { patience: 500 }),
    });
    expect({ ...run, ends: [] }).toMatchObject({ outcome, isReached: true });
    expect(perturbations).toHaveLength(1);
  });
}
