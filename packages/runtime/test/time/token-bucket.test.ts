import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
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

test('any course of takes -> in no span more than burst + qps * span are served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(300), { maxLength: 60 }),
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
