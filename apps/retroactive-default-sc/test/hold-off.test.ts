import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import { createHoldOff, type HoldOff } from '../src/hold-off.ts';
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
const third = claimOf('third', 'data');

function claimOf(namespace: string, name: string): PersistentVolumeClaim {
  const { metadata, ...rest } = claim({ name, uid: `${namespace}/${name}` });
  return { ...rest, metadata: { ...metadata, namespace } };
}

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

describe('all forbidden: claims of two namespaces were refused alike', () => {
  const elsewhere = claimOf('elsewhere', 'data');

  /** Both are tried at once, and refused. */
  function forbidAll(holdOff: HoldOff): void {
    const rounds = [data, elsewhere].map((each) => [each, holdOff.trying(each)] as const);
    for (const [each, round] of rounds) {
      holdOff.forbidden(each, 'gold', 'no', round);
    }
  }

  test('all wait, and the one that comes due first is tried for all', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    forbidAll(holdOff);
    expect(holdOff.wait(other, 'gold')).toBe(5 * seconds);
    clock.pass(5 * seconds);
    expect(holdOff.wait(other, 'gold')).toBe(0);
    const round = holdOff.trying(other);
    expect(holdOff.wait(third, 'gold')).toBe(10 * seconds);
    clock.pass(1 * seconds);
    holdOff.forbidden(other, 'gold', 'no', round);
    expect(holdOff.wait(third, 'gold')).toBe(10 * seconds);
  });

  test('again and again -> one try for all after 5 s, 10 s, 20 s, 40 s, and one a minute from then on', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    forbidAll(holdOff);
    const delays = Array.from({ length: 6 }, (_, index) => {
      const delay = holdOff.wait(claimOf('third', 'fresh'), 'gold');
      clock.pass(delay);
      const tried = claimOf('third', `tried-${String(index)}`);
      holdOff.forbidden(tried, 'gold', 'no', holdOff.trying(tried));
      return delay / seconds;
    });
    expect(delays).toEqual([5, 10, 20, 40, 60, 60]);
  });

  test('ten were tried at once -> one refusal', () => {
    const holdOff = createHoldOff(handClock());
    const claims = Array.from({ length: 10 }, (_, index) =>
      claimOf(index % 2 === 0 ? 'ns' : 'elsewhere', `data-${String(index)}`),
    );
    const rounds = claims.map((each) => holdOff.trying(each));
    claims.forEach((each, index) => holdOff.forbidden(each, 'gold', 'no', rounds[index] ?? 0));
    expect(holdOff.wait(third, 'gold')).toBe(5 * seconds);
  });

  test('R1: one was tried -> it goes behind those that were not, and of those that were, behind the least tried', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    forbidAll(holdOff);
    clock.pass(5 * seconds);
    holdOff.forbidden(other, 'gold', 'no', holdOff.trying(other));
    clock.pass(holdOff.wait(third, 'gold'));
    expect(holdOff.wait(third, 'gold')).toBe(0);
    expect(holdOff.wait(other, 'gold')).toBe(1 * seconds);
    clock.pass(1 * seconds);
    holdOff.forbidden(other, 'gold', 'no', holdOff.trying(other));
    expect(holdOff.wait(other, 'gold')).toBeGreaterThan(holdOff.wait(data, 'gold'));
    expect(holdOff.wait(data, 'gold')).toBeGreaterThan(holdOff.wait(third, 'gold'));
  });

  test('then one is accepted -> no claim waits any longer', () => {
    const holdOff = createHoldOff(handClock());
    expect(holdOff.accepted(data)).toBe(false);
    forbidAll(holdOff);
    expect(holdOff.accepted(third)).toBe(true);
    for (const each of [data, elsewhere, other, third]) {
      expect(holdOff.wait(each, 'gold')).toBe(0);
      expect(holdOff.news(each)).toBeUndefined();
    }
  });

  test('R1: one was accepted, the two are refused again -> only they wait', () => {
    const holdOff = createHoldOff(handClock());
    forbidAll(holdOff);
    holdOff.accepted(third);
    forbidAll(holdOff);
    expect(holdOff.wait(data, 'gold')).toBeGreaterThan(0);
    expect(holdOff.wait(elsewhere, 'gold')).toBeGreaterThan(0);
    expect([holdOff.wait(other, 'gold'), holdOff.wait(third, 'gold')]).toEqual([0, 0]);
  });

  test('the words are news once for each claim', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    expect(holdOff.news(data)).toBeUndefined();
    forbidAll(holdOff);
    expect([holdOff.news(data), holdOff.news(data), holdOff.news(other)]).toEqual(['no', undefined, 'no']);
    clock.pass(5 * seconds);
    holdOff.forbidden(other, 'gold', 'no', holdOff.trying(other));
    expect(holdOff.news(data)).toBeUndefined();
  });
});

describe('R1: refused in the words of a server that forbids all', () => {
  test('one claim -> it waits, and no other does', () => {
    const holdOff = createHoldOff(handClock());
    expect(holdOff.forbidden(data, 'gold', 'no', holdOff.trying(data))).toBe(5 * seconds);
    expect([holdOff.wait(other, 'gold'), holdOff.wait(third, 'gold')]).toEqual([0, 0]);
    expect(holdOff.news(data)).toBeUndefined();
  });

  test('one claim, again and again -> no other waits', () => {
    const clock = handClock();
    const holdOff = createHoldOff(clock);
    for (let tries = 0; tries < 5; tries++) {
      clock.pass(holdOff.forbidden(data, 'gold', 'no', holdOff.trying(data)));
    }
    expect([holdOff.wait(other, 'gold'), holdOff.wait(third, 'gold')]).toEqual([0, 0]);
  });

  test('two claims of a namespace -> claims of it wait, those of others do not; one of it is accepted -> none waits', () => {
    const holdOff = createHoldOff(handClock());
    holdOff.forbidden(data, 'gold', 'no', holdOff.trying(data));
    holdOff.forbidden(other, 'gold', 'no', holdOff.trying(other));
    const fresh = claimOf('ns', 'fresh');
    expect([holdOff.wait(fresh, 'gold'), holdOff.wait(third, 'gold')]).toEqual([5 * seconds, 0]);
    expect(holdOff.accepted(third)).toBe(false);
    expect(holdOff.wait(fresh, 'gold')).toBe(5 * seconds);
    expect(holdOff.accepted(claimOf('ns', 'good'))).toBe(true);
    expect(holdOff.wait(fresh, 'gold')).toBe(0);
  });

  test('two claims of a namespace, then all of them are forgotten -> nothing is kept', () => {
    const holdOff = createHoldOff(handClock());
    for (const each of [data, other]) {
      holdOff.forbidden(each, 'gold', 'no', holdOff.trying(each));
    }
    holdOff.forget(data);
    holdOff.forget(other);
    expect(holdOff.wait(claimOf('ns', 'fresh'), 'gold')).toBe(0);
  });
});
