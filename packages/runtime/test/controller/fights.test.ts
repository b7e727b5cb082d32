import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { createFights } from '../../src/controller/fights.ts';

const second = 1_000;
const minute = 60_000;
const hour = 60 * minute;

function open(options: { readonly window?: number } = {}) {
  const clock = createFakeClock();
  const fights = createFights({ clock, pause: { first: minute, longest: hour }, ...options });
  return {
    clock,
    fights,
    /** Writes if it may, and answers with the minutes to pause otherwise. */
    round: (what = 'add', uid = 'u'): 'written' | number => {
      const answer = fights.next(uid, what);
      if (answer.kind === 'write') {
        fights.wrote(uid, what);
        return 'written';
      }
      return answer.left / minute;
    },
  };
}

describe('P7: a write that another client undoes', () => {
  test('undone three times within a minute each -> a pause, which ends of itself', async () => {
    const { clock, fights, round } = open();
    for (let time = 0; time < 3; time++) {
      expect(round()).toBe('written');
      await clock.advance(10 * second);
    }
    expect(fights.next('u', 'add')).toEqual({ kind: 'pause', left: minute, begins: true });
    await clock.advance(20 * second);
    expect(fights.next('u', 'add')).toEqual({ kind: 'pause', left: 40 * second, begins: false });
    await clock.advance(40 * second);
    expect(round()).toBe('written');
  });

  test('undone after every pause -> each pause is twice as long, up to an hour', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 3; time++) {
      round();
      await clock.advance(second);
    }
    const pauses: number[] = [];
    for (let time = 0; time < 9; time++) {
      const minutes = round();
      pauses.push(Number(minutes));
      await clock.advance(Number(minutes) * minute);
      expect(round()).toBe('written');
      await clock.advance(second);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('a rollout of two minutes undoes everything -> held again within five minutes', async () => {
    const { clock, round } = open();
    let isHeld = false;
    let time = 0;
    for (; time < 2 * minute || !isHeld; time += second) {
      // The other client takes it off as long as its rollout lasts.
      isHeld = isHeld && time >= 2 * minute;
      isHeld ||= round() === 'written';
      await clock.advance(second);
    }
    expect(time).toBeLessThan(5 * minute);
  });

  test('a write stood for a minute after a pause -> the next fight begins anew', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 3; time++) {
      round();
      await clock.advance(second);
    }
    expect(round()).toBe(1);
    await clock.advance(minute);
    expect(round()).toBe('written');
    await clock.advance(2 * minute);
    for (let time = 0; time < 3; time++) {
      expect(round()).toBe('written');
      await clock.advance(second);
    }
    expect(round()).toBe(1);
  });

  test('undone after more than a minute -> no fight', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 10; time++) {
      expect(round()).toBe('written');
      await clock.advance(minute + second);
    }
  });

  test('undone after more than the window that was asked for -> no fight', async () => {
    const { clock, round } = open({ window: 5 * second });
    for (let time = 0; time < 10; time++) {
      expect(round()).toBe('written');
      await clock.advance(6 * second);
    }
  });

  test('added and removed in turn by ourselves (policy to and fro) -> no fight', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 10; time++) {
      expect(round(time % 2 === 0 ? 'add' : 'remove')).toBe('written');
      await clock.advance(second);
    }
  });

  test('paused, and another write is to be sent (policy Retain) -> sent', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 3; time++) {
      round();
      await clock.advance(second);
    }
    expect(round()).toBe(1);
    expect(round('remove')).toBe('written');
  });

  test('another object -> not paused', async () => {
    const { clock, round } = open();
    for (let time = 0; time < 3; time++) {
      round();
      await clock.advance(second);
    }
    expect(round()).toBe(1);
    expect(round('add', 'other')).toBe('written');
  });

  test('write that never succeeded (refused each time) -> no fight', () => {
    const { fights } = open();
    for (let time = 0; time < 10; time++) {
      expect(fights.next('u', 'add')).toEqual({ kind: 'write' });
    }
  });

  test('write undone once, then refused many times -> no fight', () => {
    const { fights, round } = open();
    expect(round()).toBe('written');
    for (let time = 0; time < 10; time++) {
      expect(fights.next('u', 'add')).toEqual({ kind: 'write' });
    }
  });

  test('forgotten -> the next fight begins anew', async () => {
    const { clock, fights, round } = open();
    for (let time = 0; time < 3; time++) {
      round();
      await clock.advance(second);
    }
    fights.forget('u');
    for (let time = 0; time < 3; time++) {
      expect(round()).toBe('written');
      await clock.advance(second);
    }
    expect(round()).toBe(1);
  });

  test('for any course of events no pause is longer than an hour, and after it the write is sent', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'remove'), fc.integer({ min: 0, max: hour })), {
      maxLength: 40,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(steps, async (course) => {
        const { clock, fights, round } = open();
        for (const [what, time] of course) {
          const answer = fights.next('u', what);
          if (answer.kind === 'pause') {
            expect(answer.left).toBeLessThanOrEqual(hour);
            await clock.advance(answer.left);
          }
          expect(round(what)).toBe('written');
          await clock.advance(time);
        }
      }),
    );
  });
});
