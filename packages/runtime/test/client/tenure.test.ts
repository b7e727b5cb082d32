import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createTenure, TenureOver } from '../../src/client/tenure.ts';

function open() {
  const clock = createFakeClock();
  const tenure = createTenure(clock);
  const over: number[] = [];
  return { clock, tenure, over, extend: (until: number) => tenure.extend(until, () => over.push(until)) };
}

test('nobody is elected -> who never was may act, at any time', async () => {
  const { clock, tenure } = open();
  await clock.advance(1_000_000);
  expect(() => tenure.check()).not.toThrow();
});

test('lease -> acts up to its last millisecond, and abandons the work before it refuses', async () => {
  const { clock, tenure, over, extend } = open();
  extend(clock.now() + 10);
  await clock.advance(9);
  tenure.check();
  expect(over).toStrictEqual([]);
  await clock.advance(1);
  expect(() => tenure.check()).toThrow(
    expect.objectContaining({
      name: 'TenureOver',
      message: 'not sent: the lease has ended, and another may act by now',
    }),
  );
  expect(over).toEqual([1_010]);
});

test('lease that is renewed -> acts up to the new end', async () => {
  const { clock, tenure, over, extend } = open();
  extend(clock.now() + 10);
  extend(clock.now() + 20);
  await clock.advance(19);
  tenure.check();
  await clock.advance(1);
  expect(() => tenure.check()).toThrow(TenureOver);
  expect(over).toEqual([1_020]);
});

test('nobody is elected -> nothing is asked for what is due', async () => {
  const { tenure } = open();
  expect(await tenure.askNothingDueBefore(new AbortController().signal)).toBeUndefined();
  tenure.leadsAgainSince(5_000);
  expect(await tenure.askNothingDueBefore(new AbortController().signal)).toBe(3_605_000);
});

test('elected -> what the lease shows counts, and not what was known before', async () => {
  const { tenure } = open();
  tenure.leadsAgainSince(undefined);
  tenure.askBy(() => Promise.resolve(5_000));
  expect(await tenure.askNothingDueBefore(new AbortController().signal)).toBe(3_605_000);
  expect(tenure.nothingDueBefore()).toBeUndefined();
});

test('led again after nobody led for long -> nothing is due for an hour; nobody elected, or led all the time -> due at its own time', () => {
  const { tenure } = open();
  expect(tenure.nothingDueBefore()).toBeUndefined();
  tenure.leadsAgainSince(5_000);
  expect(tenure.nothingDueBefore()).toBe(3_605_000);
  tenure.leadsAgainSince(undefined);
  expect(tenure.nothingDueBefore()).toBeUndefined();
});

test('ended for good -> does not act, also where nobody was elected', () => {
  const { clock, tenure, extend } = open();
  tenure.end();
  expect(() => tenure.check()).toThrow(TenureOver);
  extend(clock.now() + 10);
  tenure.check();
  tenure.end();
  expect(() => tenure.check()).toThrow(TenureOver);
});
