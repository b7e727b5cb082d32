import { describe, expect, test } from '@jest/globals';
import { isTerminating, type PersistentVolumeClaim, type Pod } from '@holdfast/core';
import { checkLook, openLook, type Look } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLiveLookups, firstToAge, StillListing } from '../src/live-lookup.ts';
import { claim, pod, protection } from './objects.ts';

const { signal } = new AbortController();
const data = claim({ deleted: true, finalizers: [protection] });

/** Lists that end when the test says so; one clock for all. */
function stage() {
  const clock = createFakeClock();
  const claims = new Map<string, PersistentVolumeClaim>([['ns/data', data]]);
  const lists: { readonly look: Look; end(pods: readonly Pod[]): void; fail(error: Error): void }[] = [];
  const open = createLiveLookups({
    claims,
    isServed: isTerminating,
    clock,
    lookClock: clock,
    listPods: async function* (_namespace, look) {
      // As the client does with the first answer.
      look.lookedAt = clock.now();
      yield* await new Promise<readonly Pod[]>((end, fail) => lists.push({ look, end, fail }));
    },
    listAttachments: async function* () {
      await Promise.resolve();
      yield* [];
    },
  });
  return { clock, claims, lists, open: () => open(['ns/data']) };
}

describe('list of pods that takes long', () => {
  test('C3: longer than a claim waits -> the claim is put off, the list goes on, and in the end has an answer that a write may rest on', async () => {
    const { clock, lists, open } = stage();
    /** A batch whose list, if it needs one, takes 70 seconds. */
    const batch = async (): Promise<Look | 'put off'> => {
      const asked = open()
        .podsNaming(data, signal)
        .then(
          ({ look }) => look,
          (error: unknown) => {
            expect(error).toBeInstanceOf(StillListing);
            return 'put off' as const;
          },
        );
      await clock.advance(5_000);
      return asked;
    };
    for (const count of [1, 2]) {
      for (let waited = 0; waited < 70; waited += 5) {
        expect(await batch()).toBe('put off');
        expect(lists).toHaveLength(count);
      }
      lists[count - 1]?.end([pod()]);
      await clock.advance(0);
    }
    const look = await batch();
    expect(lists).toHaveLength(2);
    expect(look).not.toBe('put off');
    expect(() => checkLook(look as Look, clock.now())).not.toThrow();
  });

  test('C3: the first caller is aborted -> the list serves the others', async () => {
    const { lists, open } = stage();
    const lookup = open();
    const first = new AbortController();
    const asked = [lookup.podsNaming(data, first.signal), lookup.podsNaming(data, signal)];
    first.abort(new Error('reconcile took too long'));
    await expect(asked[0]).rejects.toThrow('took too long');
    lists[0]?.end([pod()]);
    expect((await asked[1])?.pods).toHaveLength(1);
    expect(lists).toHaveLength(1);
  });

  test('C3: under way when a claim is deleted -> the claim waits for the next one, also when it fails', async () => {
    const { claims, clock, lists, open } = stage();
    const early = open().podsNaming(data, signal);
    const later = claim({ name: 'later', deleted: true, finalizers: [protection] });
    claims.set('ns/later', later);
    const late = open().podsNaming(later, signal);
    await clock.advance(0);
    expect(lists).toHaveLength(1);
    lists[0]?.fail(new Error('connection reset'));
    await expect(early).rejects.toThrow('connection reset');
    await clock.advance(0);
    expect(lists).toHaveLength(2);
    lists[1]?.end([]);
    expect((await late).pods).toEqual([]);
  });
});

describe('look of a list', () => {
  test.each([
    { age: 1_000, lists: 1 },
    { age: 1_001, lists: 2 },
  ])('A0: $age ms old -> $lists lists for two claims of a batch', async ({ age, lists: count }) => {
    const { clock, lists, open } = stage();
    const lookup = open();
    const first = lookup.podsNaming(data, signal);
    lists[0]?.end([]);
    await first;
    await clock.advance(age);
    const second = lookup.podsNaming(data, signal);
    await clock.advance(0);
    lists[1]?.end([]);
    await second;
    expect(lists).toHaveLength(count);
  });

  test('A0: pods and attachments were listed -> the write rests on the one that is too old first', () => {
    const early = { ...openLook(), lookedAt: 1_000 };
    const late = { ...openLook(), lookedAt: 2_000 };
    const longer = { ...openLook({ maxAge: 5_000 }), lookedAt: 0 };
    expect(firstToAge(late, early)).toBe(early);
    expect(firstToAge(longer, early)).toBe(early);
    expect(firstToAge(longer, late)).toBe(late);
  });
});
