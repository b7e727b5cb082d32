import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { sleep } from '../../src/time/clock.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';

const never = new AbortController().signal;

test.each([0, -1])('qps %d -> no limit', (qps) => {
  const bucket = createTokenBucket({ qps, burst: 1, clock: createFakeClock() });
  expect(Array.from({ length: 1_000 }, () => bucket.reserve()).every((delay) => delay === 0)).toBe(true);
});

test('rested -> the burst at once, then one each 1/qps', () => {
  const bucket = createTokenBucket({ qps: 10, burst: 3, clock: createFakeClock() });
  const delays = Array.from({ length: 6 }, () => Math.round(bucket.reserve()));
  expect(delays).toEqual([0, 0, 0, 100, 200, 300]);
});

test('rested for long -> holds no more than the burst', async () => {
  const clock = createFakeClock();
  const bucket = createTokenBucket({ qps: 10, burst: 2, clock });
  await clock.advance(3_600_000);
  expect([bucket.reserve(), bucket.reserve(), Math.round(bucket.reserve())]).toEqual([0, 0, 100]);
});

test.each([0, -3])('burst %d -> counts as 1', (burst) => {
  const bucket = createTokenBucket({ qps: 10, burst, clock: createFakeClock() });
  expect([bucket.reserve(), Math.round(bucket.reserve())]).toEqual([0, 100]);
});

test('several wait -> served in turn', async () => {
  const clock = createFakeClock();
  const bucket = createTokenBucket({ qps: 10, burst: 1, clock });
  const served: number[] = [];
  for (let n = 0; n < 4; n++) {
    void bucket.take(never).then(() => served.push(n));
  }
  await clock.advance(0);
  expect(served).toEqual([0]);
  await clock.advance(150);
  expect(served).toEqual([0, 1]);
  await clock.advance(150);
  expect(served).toEqual([0, 1, 2, 3]);
});

test('aborted while it waits -> rejects with the reason', async () => {
  const clock = createFakeClock();
  const bucket = createTokenBucket({ qps: 1, burst: 1, clock });
  await bucket.take(never);
  const stop = new AbortController();
  const taking = bucket.take(stop.signal);
  stop.abort(new Error('enough'));
  await expect(taking).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('aborted while it waits -> those behind it do not wait for its token', async () => {
  const clock = createFakeClock();
  const bucket = createTokenBucket({ qps: 1, burst: 1, clock });
  await bucket.take(never);
  const stop = new AbortController();
  const given = [bucket.take(stop.signal), bucket.take(stop.signal)].map((taking) => taking.catch(String));
  let isServed = false;
  void bucket.take(never).then(() => (isServed = true));
  stop.abort(new Error('enough'));
  await Promise.all(given);
  await clock.advance(1_000);
  expect(isServed).toBe(true);
});

describe('ahead', () => {
  const start = (qps: number, burst: number) => {
    const clock = createFakeClock();
    const bucket = createTokenBucket({ qps, burst, clock });
    const served: string[] = [];
    const note = (name: string, taking: Promise<unknown>) =>
      void taking.then((token) => served.push(token === false ? `${name} too late` : name));
    return {
      clock,
      served,
      take: (name: string) => note(name, bucket.take(never)),
      takeAhead: (name: string, latest = Infinity) => note(name, bucket.takeAhead(latest, never)),
    };
  };

  test('others wait -> goes before them', async () => {
    const { clock, served, take, takeAhead } = start(1, 1);
    ['a', 'b', 'c'].forEach(take);
    takeAhead('write');
    await clock.advance(10_000);
    expect(served).toEqual(['a', 'write', 'b', 'c']);
  });

  test('no token is there -> up to three are taken in advance, and what comes after waits for them', async () => {
    const { clock, served, take, takeAhead } = start(1, 1);
    take('a');
    ['w1', 'w2', 'w3', 'w4'].forEach((name) => takeAhead(name));
    await clock.advance(0);
    expect(served).toEqual(['a', 'w1', 'w2', 'w3']);
    await clock.advance(999);
    expect(served).toHaveLength(4);
    await clock.advance(1);
    expect(served.at(-1)).toBe('w4');
    take('b');
    await clock.advance(3_999);
    expect(served).toHaveLength(5);
    await clock.advance(1);
    expect(served.at(-1)).toBe('b');
  });

  test('many go ahead while others wait -> one in turn after every three', async () => {
    const { clock, served, take, takeAhead } = start(1, 1);
    ['a', 'b', 'c'].forEach(take);
    ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'].forEach((name) => takeAhead(name));
    await clock.advance(60_000);
    expect(served).toEqual(['a', 'w1', 'w2', 'w3', 'b', 'w4', 'w5', 'w6', 'c', 'w7']);
  });

  test('no token until the latest moment -> answers false then, and takes none', async () => {
    const { clock, served, takeAhead } = start(1, 1);
    ['w1', 'w2', 'w3', 'w4'].forEach((name) => takeAhead(name));
    await clock.advance(0);
    takeAhead('late', clock.now() + 500);
    takeAhead('w5');
    await clock.advance(500);
    expect(served).toEqual(['w1', 'w2', 'w3', 'w4', 'late too late']);
    await clock.advance(1_500);
    expect(served.slice(5)).toEqual(['w5']);
    takeAhead('never', clock.now() - 1);
    await clock.advance(0);
    expect(served.at(-1)).toBe('never too late');
    expect(clock.pending).toBe(0);
  });

  /** Each decision reads, reads once more and writes, and begins anew when its first read is too old for the write. */
  test('any rate, any number of decisions at once -> all come to their write, and one who waits in turn is served', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0.05, 0.5, 1, 5, 100),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 400 }),
        async (qps, burst, workers, roundTrip) => {
          const clock = createFakeClock();
          const bucket = createTokenBucket({ qps, burst, clock });
          const maxAge = 2_000;
          let written = 0;
          let renewed = 0;
          const decide = async (): Promise<void> => {
            for (;;) {
              await bucket.take(never);
              const latest = clock.now() + maxAge;
              await sleep(clock, roundTrip, never);
              if (!(await bucket.takeAhead(latest, never))) {
                continue;
              }
              await sleep(clock, roundTrip, never);
              if (await bucket.takeAhead(latest, never)) {
                written += 1;
                return;
              }
            }
          };
          const deciding = Promise.all(Array.from({ length: workers }, decide));
          void bucket.take(never).then(() => (renewed = clock.now()));
          const began = clock.now();
          // Each round takes four tokens at the most, and in each some decision comes to its write.
          await clock.advance((4 * 1_000 * (workers + burst + 1)) / qps + 10 * roundTrip * (workers + 1));
          expect(written).toBe(workers);
          expect(renewed - began).toBeLessThanOrEqual((4 * 1_000 * (workers + 1)) / qps);
          await deciding;
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('any course of takes -> in no span more than burst + qps * span are served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(300), { maxLength: 60, size: 'max' }),
      async (qps, burst, pauses) => {
        const clock = createFakeClock();
        const bucket = createTokenBucket({ qps, burst, clock });
        const served: number[] = [];
        for (const pause of pauses) {
          served.push(clock.now() + bucket.reserve());
          await clock.advance(pause);
        }
        for (let first = 0; first < served.length; first++) {
          for (let last = first; last < served.length; last++) {
            const span = ((served[last] ?? 0) - (served[first] ?? 0)) / 1_000;
            expect(last - first + 1).toBeLessThanOrEqual(burst + qps * span + 1e-6);
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});
