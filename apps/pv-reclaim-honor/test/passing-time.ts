import type { Clock } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { chosenBackend } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';

/**
 * Milliseconds of the machine between two steps of seconds. An API server in this process answers in as many turns of
 * the event loop, however slow the machine is; a real one takes its time.
 */
const moment = chosenBackend() === 'embedded' ? 2 : 20;

/**
 * Time for an app that runs within the test: it stands still but while the test waits, and then goes on at each look.
 * So back-off and grace cost nothing, and how much time has passed does not depend on the machine.
 */
export interface PassingTime {
  readonly clock: Clock;
  /**
   * Waits as `eventually` does; at each look 100 ms have passed, so that what is under way ends long before the app's
   * limits.
   */
  readonly until: typeof eventually;
  /** The same with longer steps, milliseconds. */
  inStepsOf(step: number): typeof eventually;
  /** Lets this much time pass, milliseconds, with a moment after every five seconds for what the app does meanwhile. */
  pass(duration: number): Promise<void>;
}

export function createPassingTime(): PassingTime {
  const clock = createFakeClock();
  let going: Promise<void> = Promise.resolve();
  /** One after the other: of two at the same time the clock might go back. */
  const goOn = (duration: number): Promise<void> => {
    going = going.then(() => clock.advance(duration));
    return going;
  };
  const inSteps =
    (step: number, longestPause: number): typeof eventually =>
    (what, holds, limit) =>
      eventually(
        what,
        async () => {
          await goOn(step);
          return holds();
        },
        limit,
        longestPause,
      );
  const inStepsOf = (step: number): typeof eventually => inSteps(step, moment);
  return {
    clock,
    until: inSteps(100, 20),
    inStepsOf,
    pass: (duration) => {
      const end = clock.now() + duration;
      return inStepsOf(5_000)(`${String(duration / 1000)} s have passed`, () => clock.now() >= end);
    },
  };
}
