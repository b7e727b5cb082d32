import { describe, expect, test } from '@jest/globals';
import { isTerminating } from '@holdfast/core';
import { checkLook, isLookOver, sleep, type Look } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLiveLookups, firstToAge, type StillListing } from '../src/live-lookup.ts';
import { claim, protection } from './objects.ts';

const { signal } = new AbortController();
const data = claim({ deleted: true, finalizers: [protection], volume: 'pv-1' });

/** So many looks in a row may be too old for a write: the first ones show how long the lists take. */
const looks = 12;

/** Lookups whose lists take this long, in milliseconds. */
function stage(durations: { readonly pods: number; readonly attachments: number }) {
  const clock = createFakeClock();
  const takeFor = async (look: Look, duration: number): Promise<void> => {
    const sentAt = clock.now();
    // As the client does with the first answer.
    await sleep(clock, 10, signal);
    look.lookedAt = sentAt;
    await sleep(clock, duration - 10, signal);
  };
  const open = createLiveLookups({
    claims: new Map([['ns/data', data]]),
    isServed: isTerminating,
    clock,
    lookClock: clock,
    listPods: async function* (_namespace, look) {
      await takeFor(look, durations.pods);
      yield* [];
    },
    listAttachments: async function* (look) {
      await takeFor(look, durations.attachments);
      yield* [];
    },
  });
  return { clock, open: () => open(['ns/data']) };
}

test.each([
  { pods: 800, attachments: 900 },
  { pods: 100, attachments: 3_000 },
  { pods: 3_000, attachments: 100 },
  { pods: 1_500, attachments: 4_000 },
  { pods: 4_500, attachments: 5_500 },
  { pods: 5_500, attachments: 4_500 },
  { pods: 6_000, attachments: 6_000 },
  { pods: 10_000, attachments: 10_000 },
  { pods: 10_000, attachments: 20_000 },
  { pods: 20_000, attachments: 10_000 },
  { pods: 60_000, attachments: 50_000 },
])(
  'pods take $pods ms to be listed, and then attachments $attachments ms -> a write may rest on both',
  async ({ pods, attachments }) => {
    const { clock, open } = stage({ pods, attachments });
    /** As the reconcile of a claim that a terminated pod names; it has a batch of its own. */
    const reconcile = async (): Promise<'written' | 'too old'> => {
      const lookup = open();
      const { look } = await lookup.podsNaming(data, signal);
      const { look: other } = await lookup.nodesAttachedTo(data, signal);
      try {
        checkLook(firstToAge(look, other), clock.now() + 10);
        return 'written';
      } catch (error) {
        expect(isLookOver(error)).toBe(true);
        return 'too old';
      }
    };
    const course = async (): Promise<string> => {
      for (let tries = 0; tries < looks;) {
        try {
          const result = await reconcile();
          if (result === 'written') {
            return result;
          }
          tries += 1;
          await sleep(clock, 10, signal);
        } catch (error) {
          await sleep(clock, (error as StillListing).delay, signal);
        }
      }
      return 'never written';
    };
    let outcome: string | undefined;
    void course().then((end) => {
      outcome = end;
    });
    for (let passed = 0; passed < 900_000 && outcome === undefined; passed += 100) {
      await clock.advance(100);
    }
    expect(outcome).toBe('written');
  },
);

describe('how long a look is valid', () => {
  /** Returns the longest ages of the looks at both, when each is listed anew. */
  const agesOf = async ({ clock, open }: ReturnType<typeof stage>): Promise<readonly number[]> => {
    const lookup = open();
    const asked = [lookup.podsNaming(data, signal), lookup.nodesAttachedTo(data, signal)];
    await clock.advance(4_000);
    return (await Promise.all(asked)).map(({ look }) => look.maxAge);
  };

  test.each([
    { pods: 2_000, attachments: 3_000, each: 10_000 },
    { pods: 500, attachments: 3_000, each: 6_000 },
    { pods: 2_000, attachments: 500, each: 4_000 },
    { pods: 501, attachments: 600, each: 2_202 },
    { pods: 500, attachments: 500, each: 2_000 },
  ])(
    'A0: pods took $pods ms, attachments $attachments ms -> each is good for $each ms',
    async ({ each, ...durations }) => {
      const given = stage(durations);
      expect(await agesOf(given)).toEqual([2_000, 2_000]);
      expect(await agesOf(given)).toEqual([each, each]);
    },
  );

  test.each([
    { later: 126_000, each: [10_000, 10_000] },
    { later: 126_001, each: [10_000, 6_000] },
    { later: 127_000, each: [10_000, 6_000] },
    { later: 127_001, each: [4_000, 6_000] },
  ])(
    'A0: the other list ended more than 128 s ago -> it does not count ($later ms later)',
    async ({ later, each }) => {
      const given = stage({ pods: 2_000, attachments: 3_000 });
      await agesOf(given);
      await given.clock.advance(later);
      expect(await agesOf(given)).toEqual(each);
    },
  );
});

test('both lists take 70 s, too long for any write to rest on both -> a claim that waits is told', async () => {
  const { clock, open } = stage({ pods: 70_000, attachments: 70_000 });
  let told = 0;
  const stop = new AbortController();
  const course = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const lookup = open();
        await lookup.podsNaming(data, signal);
        await lookup.nodesAttachedTo(data, signal);
      } catch (error) {
        told += (error as StillListing).isInVain ? 1 : 0;
        await sleep(clock, (error as StillListing).delay, signal);
      }
    }
  };
  void course();
  for (let passed = 0; passed < 600_000 && told === 0; passed += 1_000) {
    await clock.advance(1_000);
  }
  stop.abort();
  await clock.advance(100_000);
  expect(told).toBeGreaterThan(0);
});

test('list took long more than an hour ago -> forgotten, since its namespace might be gone', async () => {
  const { clock, open } = stage({ pods: 3_000, attachments: 10 });
  const ageAfter = async (pause: number): Promise<number> => {
    await clock.advance(pause);
    const asking = open().podsNaming(data, signal);
    await clock.advance(3_000);
    return (await asking).look.maxAge;
  };
  expect(await ageAfter(0)).toBe(2_000);
  expect(await ageAfter(3_500_000)).toBe(6_000);
  expect(await ageAfter(3_601_000)).toBe(2_000);
});
