import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createDeletionProgress } from '../src/deletion-progress.ts';

function begun() {
  const clock = createFakeClock();
  const progress = createDeletionProgress(clock);
  progress.begin('u');
  return { clock, progress };
}

test('fails again and again -> 1 s, twice as long each time, 5 min at the most', async () => {
  const { clock, progress } = begun();
  const delays: number[] = [];
  for (let failure = 0; failure < 11; failure++) {
    const delay = progress.failed('u');
    expect(progress.wait('u')).toBe(delay);
    await clock.advance(delay);
    expect(progress.wait('u')).toBe(0);
    delays.push(delay / 1000);
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test('to be retried now -> due now, and the row begins anew', () => {
  const { progress } = begun();
  progress.failed('u');
  progress.failed('u');
  progress.retryNow('u');
  expect(progress.wait('u')).toBe(0);
  expect(progress.failed('u')).toBe(1_000);
});

test('driver was lost over the volume, and is back -> the volume waits from then on, and longer each time', async () => {
  const { clock, progress } = begun();
  for (const seconds of [1, 2, 4]) {
    const delay = progress.failed('u', 'driverLost');
    expect(delay).toBeGreaterThanOrEqual(seconds * 500);
    expect(delay).toBeLessThanOrEqual(seconds * 1_000);
    progress.driverIsAway('u');
    // Kubelet starts the driver again much later.
    await clock.advance(60_000);
    progress.driverIsBack('u');
    expect(progress.wait('u')).toBeCloseTo(delay);
    await clock.advance(delay);
  }
});

test('driver was lost over the volume, and is away again and again -> the wait goes on only while it is there', async () => {
  const { clock, progress } = begun();
  // A call under way ends after its connection.
  progress.driverIsAway('u');
  const delay = progress.failed('u', 'driverLost');
  for (const left of [1, 0.5, 0.25]) {
    await clock.advance(60_000);
    progress.driverIsBack('u');
    expect(progress.wait('u')).toBeCloseTo(delay * left);
    await clock.advance((delay * left) / 2);
    progress.driverIsAway('u');
  }
});

test('driver was lost over the volume, and was away at the next try -> still known when it is back', async () => {
  const { clock, progress } = begun();
  progress.failed('u', 'driverLost');
  const delay = progress.failed('u', 'driverAway');
  await clock.advance(60_000);
  progress.driverIsBack('u');
  expect(progress.wait('u')).toBeCloseTo(delay);
});

test.each(['refused', 'driverAway'] as const)(
  'last try failed (%s), driver is back -> due now',
  (failure) => {
    const { progress } = begun();
    progress.failed('u', failure === 'refused' ? 'driverLost' : undefined);
    progress.failed('u', failure);
    progress.driverIsBack('u');
    expect(progress.wait('u')).toBe(0);
  },
);

test('begun again -> counts from the first time', async () => {
  const { clock, progress } = begun();
  const started = clock.now();
  progress.failed('u');
  await clock.advance(1_000);
  progress.begin('u');
  expect(progress.startedAt('u')).toBe(started);
  expect(progress.failed('u')).toBe(2_000);
});

test('confirmed -> remembered until forgotten', () => {
  const { progress } = begun();
  expect(progress.isConfirmed('u')).toBe(false);
  progress.confirmed('u');
  expect(progress.isConfirmed('u')).toBe(true);
  progress.forget('u');
  expect(progress.isConfirmed('u')).toBe(false);
});

test('forgotten -> nothing is kept by a late failure or confirmation', () => {
  const { progress } = begun();
  progress.forget('u');
  expect(progress.failed('u')).toBe(1_000);
  progress.confirmed('u');
  expect(progress.startedAt('u')).toBeUndefined();
  expect(progress.isConfirmed('u')).toBe(false);
  expect(progress.wait('u')).toBe(0);
});

test('look too old again and again -> the next may be twice as old each time, 128 s at the most; a call that fails ends the row', () => {
  const { progress } = begun();
  const ages: number[] = [];
  for (let refusal = 0; refusal < 8; refusal++) {
    ages.push(progress.lookAge('u') / 1000);
    progress.lookTooOld('u');
  }
  expect(ages).toEqual([2, 4, 8, 16, 32, 64, 128, 128]);
  progress.failed('u');
  expect(progress.lookAge('u')).toBe(2_000);
});

test('look of a volume that is forgotten by now -> nothing is kept', () => {
  const { progress } = begun();
  progress.forget('u');
  progress.lookTooOld('u');
  expect(progress.lookAge('u')).toBe(2_000);
});

test('look at one volume too old -> looks at others of its keeper may be as old for a minute, those of another keeper not', async () => {
  const { clock, progress } = begun();
  const ages = () => ['u', 'v', 'w'].map((uid) => progress.lookAge(uid, uid === 'w' ? 'other' : 'plugin'));
  expect(ages()).toEqual([2_000, 2_000, 2_000]);
  progress.lookTooOld('u');
  expect(ages()).toEqual([4_000, 4_000, 2_000]);
  await clock.advance(1_000);
  progress.lookTooOld('u');
  expect(ages()).toEqual([8_000, 8_000, 2_000]);
  await clock.advance(59_999);
  expect(ages()).toEqual([8_000, 8_000, 2_000]);
  await clock.advance(1);
  expect(ages()).toEqual([8_000, 2_000, 2_000]);
});

test('looks at many volumes of a keeper too old at the same time -> the next may be twice as old, and no older', () => {
  const { progress } = begun();
  const uids = Array.from({ length: 100 }, (_, index) => `u${String(index)}`);
  for (const age of [2_000, 4_000, 8_000]) {
    expect(new Set(uids.map((uid) => progress.lookAge(uid, 'plugin')))).toEqual(new Set([age]));
    uids.forEach(progress.lookTooOld);
  }
  progress.failed('u0');
  expect(progress.lookAge('u0', 'plugin')).toBe(16_000);
});
