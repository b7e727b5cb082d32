import { afterAll, expect, test } from '@jest/globals';
import { chosenBackend } from '@holdfast/testing';
import type { Explanation } from '../../src/explain/explanation.ts';
import type { History } from './history.ts';
import { judge, sayings, type Ask, type Saying } from './verdict.ts';
import { askerOf, listen } from './witness.ts';

/** Answers that are wrong in one point, for each saying. */
const lies: Readonly<Record<Saying, (ask: Ask) => Ask>> = {
  held: explained((told) => ({
    ...told,
    holders: [...told.holders, { kind: 'pod', name: 'nobody', holds: true, words: 'uses it' }],
  })),
  ifDeleted: explained((told) =>
    withThen(told, (then) => then.replace(/^it stays, being deleted,.*/, 'it goes at once')),
  ),
  claimOfVolume: explained((told) =>
    withThen(told, (then) => then.replace('its storage is deleted, then the volume', 'it is Released')),
  ),
  setActed: explained((told) =>
    withThen(told, (then) => then.replace('the claim goes:', 'the claim stays:')),
  ),
  planned: (ask) => ({
    ...ask,
    plan: async (...question) =>
      (await ask.plan(...question)).map((claim) => ({
        ...claim,
        outcomes: claim.outcomes.map((outcome) => ({
          ...outcome,
          fate: outcome.fate === 'stays' ? 'goes' : 'stays',
        })),
      })),
  }),
  atRest: explained((told) => ({
    ...told,
    next: [...told.next, { who: 'Holdfast', does: 'takes the finalizer off now', source: 'finalizers' }],
  })),
};

function explained(lie: (told: Explanation) => Explanation): (ask: Ask) => Ask {
  return (ask) => ({ ...ask, explain: async (...question) => lie(await ask.explain(...question)) });
}

function withThen(told: Explanation, change: (then: string) => string): Explanation {
  return { ...told, ifs: told.ifs.map((each) => ({ ...each, then: change(each.then) })) };
}

/**
 * Declares the stories' own tests, and after them those that compare what `explain` and `plan` say of their states with
 * what then happened. On real control planes it declares nothing: there the states between two reads are nobody's.
 *
 * @param stories each declares its tests when it is called.
 */
export async function testStories(stories: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (chosenBackend() !== 'embedded') {
    return;
  }
  const { taken, dismiss } = listen();
  afterAll(dismiss);
  for (const tell of stories) {
    await tell();
  }
  let histories: readonly History[] = [];

  test('states of the stories, explained -> what was said came about', async () => {
    histories = taken();
    const verdicts = await Promise.all(histories.map((history) => judge(history, askerOf(history.app))));
    expect(verdicts.flatMap(({ wrong }) => wrong)).toStrictEqual([]);
    const compared = new Set(verdicts.flatMap((verdict) => [...verdict.compared.keys()]));
    expect([...compared].toSorted()).toEqual([...sayings].toSorted());
  }, 60_000);

  test.each(sayings)('%s said wrongly -> found', async (saying) => {
    const lie = lies[saying];
    const found = async (history: History): Promise<boolean> => {
      const { wrong } = await judge(history, lie(askerOf(history.app)));
      return wrong.some((each) => each.startsWith(`${saying}: `));
    };
    // The shortest story in which it can be said is enough.
    let isFound = false;
    for (const history of histories.toSorted((a, b) => a.moments.length - b.moments.length)) {
      isFound ||= await found(history);
    }
    expect(isFound).toBe(true);
  });
}
