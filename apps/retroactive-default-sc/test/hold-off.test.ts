import { describe, expect, test } from '@jest/globals';
import type { Clock } from '@holdfast/runtime';
import { createHoldOff } from '../src/hold-off.ts';
import { claim } from './objects.ts';

const seconds = 1_000;

function handClock(): Clock & { pass(milliseconds: number): void } {
  let now = 0;
  return {
    now: () => now,
    after: () => ({ cancel: () => undefined }),
    pass: (milliseconds) => (now += milliseconds),
  };
}

const data = claim();
const other = claim({ name: 'other' });

describe('one claim refused', () => {
  test('again and again -> the delay doubles, up to five minutes', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    const delays = Array.from({ length: 9 }, () => {
      const delay = holdOff.refused(data, 'gold');
      clock.pass(delay);
      return delay / seconds;
    });
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('then it waits, and no other claim does', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    holdOff.refused(data, 'gold');
    clock.pass(2 * seconds);
    expect(holdOff.wait(data, 'gold')).toBe(3 * seconds);
    expect(holdOff.wait(other, 'gold')).toBe(0);
    clock.pass(3 * seconds);
    expect(holdOff.wait(data, 'gold')).toBe(0);
  });

  test('another class becomes the default -> it may be tried at once, and its delay begins anew', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    holdOff.refused(data, 'gold');
    holdOff.refused(data, 'gold');
    expect(holdOff.wait(data, 'silver')).toBe(0);
    expect(holdOff.refused(data, 'silver')).toBe(5 * seconds);
  });

  test('it is made anew, or forgotten -> it may be tried at once', () => {
    const holdOff = createHoldOff(handClock());
    holdOff.refused(data, 'gold');
    expect(holdOff.wait(claim({ uid: 'another' }), 'gold')).toBe(0);
    holdOff.forget(data);
    expect(holdOff.wait(data, 'gold')).toBe(0);
  });
});

describe('all forbidden', () => {
  test('one was tried -> all wait, and the one that comes due first is tried for all', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    expect(holdOff.forbidden('no', holdOff.trying())).toBe(5 * seconds);
    expect(holdOff.wait(other, 'gold')).toBe(5 * seconds);
    clock.pass(5 * seconds);
    expect(holdOff.wait(other, 'gold')).toBe(0);
    const round = holdOff.trying();
    expect(holdOff.wait(data, 'gold')).toBe(10 * seconds);
    clock.pass(1 * seconds);
    expect(holdOff.forbidden('no', round)).toBe(10 * seconds);
    expect(holdOff.wait(data, 'gold')).toBe(10 * seconds);
  });

  test('ten were tried at once -> one refusal', () => {
    const holdOff = createHoldOff(handClock());
    const rounds = Array.from({ length: 10 }, () => holdOff.trying());
    expect(rounds.map((round) => holdOff.forbidden('no', round))).toEqual(Array(10).fill(5 * seconds));
  });

  test('then one is accepted -> no claim waits any longer', () => {
    const holdOff = createHoldOff(handClock());
    expect(holdOff.accepted()).toBe(false);
    holdOff.forbidden('no', holdOff.trying());
    expect(holdOff.accepted()).toBe(true);
    expect(holdOff.wait(data, 'gold')).toBe(0);
    expect(holdOff.news(data)).toBeUndefined();
  });

  test('the words are news once for each claim', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    expect(holdOff.news(data)).toBeUndefined();
    holdOff.forbidden('no', holdOff.trying());
    expect([holdOff.news(data), holdOff.news(data), holdOff.news(other)]).toEqual(['no', undefined, 'no']);
    clock.pass(5 * seconds);
    holdOff.forbidden('no', holdOff.trying());
    expect(holdOff.news(data)).toBeUndefined();
  });
});
