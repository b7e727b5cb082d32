import { afterAll, expect, test } from '@jest/globals';
import { chosenBackend } from '@holdfast/testing';
import type { Explanation } from '../../src/explain/explanation.ts';
import type { History } from './history.ts';
import { judge, sayings, type Saying } from './verdict.ts';
import { askerOf, listen } from './witness.ts';

/** Explanations that are wrong in one point, for each saying. */
const lies: Readonly<Record<Saying, (told: Explanation) => Explanation>> = {
  held: (told) => ({
    ...told,
    holders: [...told.holders, { kind: 'pod', name: 'nobody', holds: true, words: 'uses it' }],
  }),
  ifDeleted: (told) =>
    withThen(told, (then) => then.replace(/^it stays, being deleted,.*/, 'it goes at once')),
  claimOfVolume: (told) =>
    withThen(told, (then) => then.replace('its storage is deleted, then the volume', 'it is Released')),
  setActed: (told) => withThen(told, (then) => then.replace('the claim goes:', 'the claim stays:')),
  atRest: (told) => ({
    ...told,
    next: [...told.next, { who: 'Holdfast', does: 'takes the finalizer off now', source: 'finalizers' }],
  }),
};

function withThen(told: Explanation, change: (then: string) => string): Explanation {
  return { ...told, ifs: told.ifs.map((each) => ({ ...each, then: change(each.then) })) };
}

/**
 * Declares the stories' own tests, and after them those that compare what `explain` says of their states with what then happened. On real
 * control planes it declares nothing: there the states between two reads are nobody's.
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
      const ask = askerOf(history.app);
      const { wrong } = await judge(history, async (...question) => lie(await ask(...question)));
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
