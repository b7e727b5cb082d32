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

test('driver is back -> due now, and the row begins anew', () => {
  const { progress } = begun();
  progress.failed('u');
  progress.failed('u');
  progress.retryNow('u');
  expect(progress.wait('u')).toBe(0);
  expect(progress.failed('u')).toBe(1_000);
});

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
