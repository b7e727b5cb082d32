import { expect, test } from '@jest/globals';
import {
  describePerturbation,
  learn,
  perturbationKinds,
  perturbationsOf,
  play,
  type Furniture,
  type Lesson,
  type Run,
  type Scenario,
} from '@holdfast/testing/perturbation';
import { copier, copies, ordersPaper, type CopierFault } from './copier.ts';

const first = 'create configmaps shop #1';

/** Of each kind a perturbation, and a fault of the operator that it brings to light. */
const table: readonly (readonly [perturbation: string, CopierFault, Run['outcome'], shown: string])[] = [
  [`crash-before-write at ${first}`, 'marks-first', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'crash-after-write at patch configmaps shop/a #1',
    'marks-first',
    'stuck',
    'ConfigMap shop/a-copy: expected',
  ],
  [
    'stale-restart at create configmaps shop #2, before DELETED ConfigMap shop/a-copy #1 is seen',
    'trusts-cache',
    'unsafe',
    'a-copy is deleted',
  ],
  [
    'event-delayed: DELETED ConfigMap shop/a #1 to ADDED ConfigMap shop/a #2',
    'trusts-cache',
    'unsafe',
    'a-copy is deleted',
  ],
  [
    'event-hidden: DELETED ConfigMap shop/a #1',
    'edge-triggered',
    'stuck',
    'ConfigMap shop/a-copy: expected none',
  ],
  [`answer-403 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-409 at ${first}`, 'takes-409-for-done', 'stuck', 'ConfigMap shop/a-copy: expected'],
  ['answer-410 at watch configmaps shop #1', 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-422 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-429 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  ['answer-500 at get configmaps shop/a-copy #1', 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-504 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'answer-504-after at patch configmaps shop/count #1',
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
  [`reset-before at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'reset-after at patch configmaps shop/count #1',
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
  [`handover-before-write at ${first}`, 'counts-first', 'stuck', 'ConfigMap shop/count.data.copies'],
  [
    'handover-after-write at patch configmaps shop/count #1',
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
];

const lessons = new Map<string, Promise<Lesson>>();

function lessonOf<F extends Furniture>(
  fault: CopierFault | undefined,
  scenario: Scenario<F>,
): Promise<Lesson> {
  const key = `${scenario.name} ${fault ?? ''}`;
  let lesson = lessons.get(key);
  if (lesson === undefined) {
    lesson = learn(copier(...(fault === undefined ? [] : [fault])), scenario);
    lessons.set(key, lesson);
  }
  return lesson;
}

/** @param patience of a run that is to fail: it need not wait for long. */
async function playWith(
  wanted: readonly string[],
  fault: CopierFault | undefined,
  patience?: number,
): Promise<Run> {
  const lesson = await lessonOf(fault, copies);
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

test('an undisturbed operator -> the same places and the same ends, twice', async () => {
  const { requests, events, ends, unstable } = await lessonOf(undefined, copies);
  expect(unstable).toStrictEqual([]);
  expect(requests.map(({ step, effect, place }) => `${String(step)} ${effect}: ${place}`)).toEqual([
    '-1 read: list configmaps shop #1',
    '-1 read: get configmaps shop/count-copy #1',
    '-1 watch: watch configmaps shop #1',
    '0 read: get configmaps shop/a-copy #1',
    '0 write: create configmaps shop #1',
    '0 read: get configmaps shop/a-copy #2',
    '1 read: get configmaps shop/a-copy #3',
    '1 read: get configmaps shop/a #1',
    '1 write: delete configmaps shop/a-copy #1',
    '1 read: get configmaps shop/a-copy #4',
    '2 read: get configmaps shop/a-copy #5',
    '2 write: create configmaps shop #2',
    '2 read: get configmaps shop/a-copy #6',
  ]);
  expect(events.map(({ step, place }) => `${String(step)} ${place}`)).toEqual([
    '0 ADDED ConfigMap shop/a #1',
    '0 ADDED ConfigMap shop/a-copy #1',
    '1 DELETED ConfigMap shop/a #1',
    '1 DELETED ConfigMap shop/a-copy #1',
    '2 ADDED ConfigMap shop/a #2',
    '2 ADDED ConfigMap shop/a-copy #2',
  ]);
  expect(ends).toHaveLength(4);
});

test('each kind of perturbation is in the table', () => {
  expect(table.map(([perturbation]) => perturbation.split(/[ :]/)[0])).toEqual(perturbationKinds);
});

test.concurrent.each(table)('%s: operator that %s -> %s', async (perturbation, fault, outcome, shown) => {
  const run = await playWith([perturbation], fault, 500);
  expect({ ...run, ends: [] }).toMatchObject({ outcome, isReached: true });
  expect(run.problem).toContain(shown);
});

test.concurrent.each([
  `crash-before-write at ${first}`,
  'stale-restart at create configmaps shop #2, before DELETED ConfigMap shop/a-copy #1 is seen',
  'event-delayed: DELETED ConfigMap shop/a #1 to ADDED ConfigMap shop/a #2',
  'event-hidden: DELETED ConfigMap shop/a #1',
  `answer-409 at ${first}`,
  'answer-410 at watch configmaps shop #1',
  `reset-after at ${first}`,
  `handover-before-write at ${first}`,
])('%s: sound operator -> held', async (perturbation) => {
  const { outcome, problem, isReached } = await playWith([perturbation], undefined);
  expect({ outcome, problem, isReached }).toEqual({ outcome: 'held', problem: '', isReached: true });
});

test.concurrent.each([
  // The process that has taken over comes to the second while the other is stopped for the first.
  [`handover-before-write at ${first}`, 'handover-before-write at create configmaps shop #2'],
  [`handover-before-write at ${first}`, 'handover-after-write at create configmaps shop #2'],
  // One write is at the place of both.
  [`handover-before-write at ${first}`, `handover-after-write at ${first}`],
])('%s, and %s: sound operator -> both are carried out, and held', async (...pair) => {
  const { outcome, problem, isReached } = await playWith(pair, undefined);
  expect({ outcome, problem, isReached }).toEqual({ outcome: 'held', problem: '', isReached: true });
});

const order = 'call order a-copy #1';

test('operator that orders outside -> the call is a place, and is perturbed as a write', async () => {
  const { requests, unstable } = await lessonOf(undefined, ordersPaper);
  expect(unstable).toStrictEqual([]);
  expect(requests.filter(({ effect }) => effect === 'call')).toEqual([
    { place: order, effect: 'call', step: 0 },
  ]);
});

test.concurrent.each([
  [`crash-before-write at ${order}`, 'orders-last', 'stuck'],
  [`reset-before at ${order}`, 'orders-last', 'stuck'],
  [`crash-before-write at ${order}`, undefined, 'held'],
  [`crash-after-write at ${order}`, undefined, 'held'],
  [`reset-before at ${order}`, undefined, 'held'],
  [`reset-after at ${order}`, undefined, 'held'],
  [`handover-before-write at ${order}`, undefined, 'held'],
] as const)('%s: operator that %s -> %s', async (wanted, fault, outcome) => {
  const operator = copier(...(fault === undefined ? [] : [fault]));
  const lesson = await lessonOf(fault, ordersPaper);
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
