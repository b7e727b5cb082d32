import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { isTerminating, type PersistentVolumeClaim, type Pod } from '@holdfast/core';
import { checkLook, openLook, type Look } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLiveLookups, firstToAge, StillListing } from '../src/live-lookup.ts';
import { claim, pod, protection } from './objects.ts';

const { signal } = new AbortController();
const ignore = (): undefined => undefined;
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
  return {
    clock,
    claims,
    lists,
    open: (...names: readonly string[]) => open(['ns/data', ...names.map((name) => `ns/${name}`)]),
  };
}

/** Returns a function that asks for the pods of one claim, in a batch of its own. */
function askerOf({ claims, open }: Pick<ReturnType<typeof stage>, 'claims' | 'open'>) {
  return (name: string): Promise<'answered' | 'put off'> =>
    open(name)
      .podsNaming(claims.get(`ns/${name}`) ?? data, signal)
      .then(
        () => 'answered' as const,
        () => 'put off' as const,
      );
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
            expect(error).toMatchObject({
              name: 'StillListing',
              message: 'the list takes long, and goes on',
            });
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

  test('thousands of claims wait for it -> they ask again one after the other, not all each second', async () => {
    const { clock, claims, lists, open } = stage();
    const names = Array.from({ length: 3_000 }, (_, index) => `data-${String(index)}`);
    for (const name of names) {
      claims.set(`ns/${name}`, claim({ name, deleted: true, finalizers: [protection] }));
    }
    const lookup = open(...names);
    const delayOf = (name: string): Promise<number> =>
      lookup.podsNaming(claims.get(`ns/${name}`) ?? data, signal).then(
        () => NaN,
        (error: unknown) => (error as StillListing).delay,
      );
    const first = delayOf('data-0');
    await clock.advance(5_000);
    expect(await first).toBe(1_000);
    const delays = await Promise.all(names.map(delayOf));
    expect(delays[0]).toBe(1_002);
    expect(delays.at(-1)).toBe(1_000 + 3_000 * 2);
    await clock.advance(60_000);
    expect(await delayOf('data-0')).toBe(1_000);
    expect(lists).toHaveLength(1);
  });

  test('longer than any write may rest on it -> one of the claims that wait is told, once', async () => {
    const { clock, lists, open } = stage();
    const told = async (): Promise<boolean> => {
      const asked = open()
        .podsNaming(data, signal)
        .then(
          () => undefined,
          (error: unknown) => (error as StillListing).isInVain,
        );
      await clock.advance(5_000);
      return (await asked) === true;
    };
    expect(await told()).toBe(false);
    await clock.advance(123_000 - 5_000);
    expect(await told()).toBe(false);
    expect([await told(), await told(), await told()]).toEqual([false, true, false]);
    lists[0]?.end([]);
    await clock.advance(0);
    expect(await told()).toBe(false);
    expect(lists).toHaveLength(2);
  });

  test('claims that were put off come back one by one -> the next list serves all of them', async () => {
    const { clock, claims, lists, open } = stage();
    const names = Array.from({ length: 100 }, (_, index) => `data-${String(index)}`);
    for (const name of names) {
      claims.set(`ns/${name}`, claim({ name, deleted: true, finalizers: [protection] }));
    }
    const ask = askerOf({ claims, open });
    for (const count of [1, 2]) {
      const asked = names.map(ask);
      await clock.advance(6_000);
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['put off']));
      expect(lists).toHaveLength(count);
      lists[count - 1]?.end([]);
      await clock.advance(0);
    }
    expect(new Set(await Promise.all(names.map(ask)))).toEqual(new Set(['answered']));
    expect(lists).toHaveLength(2);
  });

  test('claims that were put off come back after the list that served them has aged -> the next list serves all of them again', async () => {
    const { clock, claims, lists, open } = stage();
    const names = ['late-1', 'late-2'];
    for (const name of ['early', ...names]) {
      claims.set(`ns/${name}`, claim({ name, deleted: true, finalizers: [protection] }));
    }
    const ask = askerOf({ claims, open });
    const endAfter = async (asked: readonly Promise<unknown>[]): Promise<void> => {
      await clock.advance(6_000);
      await Promise.all(asked);
      lists.at(-1)?.end([]);
      await clock.advance(0);
    };
    await endAfter(['early', ...names].map(ask));
    await endAfter([ask('early')]);
    await clock.advance(60_000);
    await endAfter([ask('early')]);
    const asked = names.map(ask);
    await clock.advance(0);
    expect(lists).toHaveLength(3);
    expect(await Promise.all(asked)).toEqual(['answered', 'answered']);
  });

  test('claim was put off, and does not terminate any more when the next list begins, as after a restore -> not served by it', async () => {
    const { clock, claims, lists, open } = stage();
    const other = claim({ name: 'other', deleted: true, finalizers: [protection] });
    claims.set('ns/other', other);
    const ask = (asked: PersistentVolumeClaim): void => {
      open(asked.metadata.name).podsNaming(asked, signal).catch(ignore);
    };
    ask(data);
    await clock.advance(6_000);
    lists[0]?.end([]);
    await clock.advance(3_000);
    claims.set('ns/data', claim({ finalizers: [protection] }));
    ask(other);
    await clock.advance(6_000);
    lists[1]?.end([]);
    claims.set('ns/data', data);
    await clock.advance(0);
    ask(data);
    await clock.advance(0);
    expect(lists).toHaveLength(3);
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
    expect((await late).pods).toStrictEqual([]);
  });
});

test('C3: nobody waits any more, the list fails -> nothing comes of it', async () => {
  const { clock, lists, open } = stage();
  const stop = new AbortController();
  const asked = open().podsNaming(data, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
  lists[0]?.fail(new Error('connection reset'));
  await clock.advance(0);
});

test('caller is aborted already -> its reason at once; the list goes on, and nothing comes of its failure', async () => {
  const { clock, lists, open } = stage();
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(open().podsNaming(data, stopped)).rejects.toThrow('stopped');
  expect(clock.pending).toBe(0);
  lists[0]?.fail(new Error('connection reset'));
  await clock.advance(0);
});

test('answered -> the caller keeps no timer and listens to no signal any more', async () => {
  const { clock, lists, open } = stage();
  const own = new AbortController().signal;
  const asked = open().podsNaming(data, own);
  await clock.advance(0);
  expect([clock.pending, getEventListeners(own, 'abort').length]).toEqual([1, 1]);
  lists[0]?.end([]);
  await asked;
  expect([clock.pending, getEventListeners(own, 'abort').length]).toEqual([0, 0]);
});

describe('two batches', () => {
  const more = claim({ name: 'more', uid: 'uid-of-more', deleted: true, finalizers: [protection] });

  test('the second gets the list of the first -> its other claims are served by it too, when it has ended', async () => {
    const { claims, clock, lists, open } = stage();
    claims.set('ns/more', more);
    const [one, other] = [open('more'), open('more')];
    const asked = [one.podsNaming(data, signal), other.podsNaming(data, signal)];
    await clock.advance(0);
    lists[0]?.end([]);
    await Promise.all(asked);
    expect((await other.podsNaming(more, signal)).pods).toStrictEqual([]);
    expect(lists).toHaveLength(1);
  });

  test.each([
    { what: 'serves the claim no longer, since it is too old', age: 1_001, asked: data },
    { what: 'does not serve the claim, which was deleted later', age: 0, asked: more },
  ])('list of the first $what, the second has begun one -> it serves both', async ({ age, asked }) => {
    const { claims, clock, lists, open } = stage();
    const [one, other] = [open(), open('more')];
    const early = one.podsNaming(data, signal);
    await clock.advance(0);
    lists[0]?.end([]);
    await early;
    await clock.advance(age);
    claims.set('ns/more', more);
    const both = [other.podsNaming(asked, signal), one.podsNaming(asked, signal)];
    await clock.advance(0);
    expect(lists).toHaveLength(2);
    lists[1]?.end([]);
    await Promise.all(both);
    expect(lists).toHaveLength(2);
  });

  test('claim that the cache does not have any more -> a list serves it', async () => {
    const { claims, clock, lists, open } = stage();
    claims.clear();
    const asked = open().podsNaming(data, signal);
    await clock.advance(0);
    lists[0]?.end([]);
    expect((await asked).pods).toStrictEqual([]);
    expect(lists).toHaveLength(1);
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

  /** A batch of one claim, whose list takes this long; how old its look may be. */
  const listFor = async (
    { clock, lists, open }: ReturnType<typeof stage>,
    duration: number,
  ): Promise<number> => {
    const before = lists.length;
    const asked = open().podsNaming(data, signal);
    await clock.advance(duration);
    lists.at(-1)?.end([]);
    expect(lists).toHaveLength(before + 1);
    return (await asked).look.maxAge;
  };

  test('A0: the list before took three seconds -> good for six; it took none -> for two', async () => {
    const given = stage();
    expect(await listFor(given, 3_000)).toBe(2_000);
    // Each batch has a list of its own, however young the answer before is.
    expect(await listFor(given, 0)).toBe(6_000);
    expect(await listFor(given, 0)).toBe(2_000);
  });

  test.each([
    { later: 0, lists: 2 },
    { later: 1, lists: 3 },
  ])(
    'C3: took as long as a claim waits, asked for $later ms later -> $lists lists, since a look has an end',
    async ({ later, lists: count }) => {
      const given = stage();
      const { clock, lists, open } = given;
      await listFor(given, 3_000);
      const asked = expect(open().podsNaming(data, signal)).rejects.toThrow(StillListing);
      await clock.advance(5_000);
      await asked;
      lists[1]?.end([]);
      await clock.advance(0);
      const lookup = open();
      await clock.advance(later);
      const answered = lookup.podsNaming(data, signal);
      await clock.advance(0);
      expect(lists).toHaveLength(count);
      lists[2]?.end([]);
      expect((await answered).pods).toStrictEqual([]);
    },
  );

  test('C3: took as long as a claim waits, and does not serve a claim -> the claim has a list of its own', async () => {
    const given = stage();
    const { claims, clock, lists, open } = given;
    await listFor(given, 3_000);
    const asked = expect(open().podsNaming(data, signal)).rejects.toThrow(StillListing);
    await clock.advance(5_000);
    await asked;
    lists[1]?.end([]);
    await clock.advance(0);
    const later = claim({ name: 'later', uid: 'uid-of-later', deleted: true, finalizers: [protection] });
    claims.set('ns/later', later);
    const answered = open('later').podsNaming(later, signal);
    await clock.advance(0);
    expect(lists).toHaveLength(3);
    lists[2]?.end([]);
    expect((await answered).pods).toStrictEqual([]);
  });

  test('A0: pods and attachments were listed -> the write rests on the one that is too old first', () => {
    const early = { ...openLook(), lookedAt: 1_000 };
    const late = { ...openLook(), lookedAt: 2_000 };
    const longer = { ...openLook({ maxAge: 5_000 }), lookedAt: 0 };
    expect(firstToAge(late, early)).toBe(early);
    expect(firstToAge(early, late)).toBe(early);
    expect(firstToAge(longer, early)).toBe(early);
    expect(firstToAge(longer, late)).toBe(late);
  });
});
