import type { Clock } from '../time/clock.ts';

/**
 * Whether this process may act. The timer of the leader election ends a tenure too, but a process that was stopped (SIGSTOP, a frozen cgroup) gets what came meanwhile
 * before its timers run, and would act on it: an hour's soak saw five patches ten seconds after the lease had ended. So the client asks, in the same turn of the event loop
 * in which it hands a write to the socket.
 *
 * The clock is monotonic: it does not count while the machine sleeps, nor, under most hypervisors, while a virtual machine is paused. Such a pause is not noticed.
 */
export interface Tenure {
  /**
   * To be called right before an act.
   *
   * @throws TenureOver when the lease has ended. The work under way has been abandoned by then.
   */
  check(): void;
}

/** A tenure in the hands of the leader election. Before the first `extend` it has no end: a process that elects nobody acts, and a candidate has no work yet. */
export interface HeldTenure extends Tenure {
  /**
   * @param until of the clock, milliseconds.
   * @param over called by the `check` that finds it ended.
   */
  extend(until: number, over: () => void): void;
  /** Ends it for good. */
  end(): void;
}

/** An act was refused, since another process may lead by now. */
export class TenureOver extends Error {
  override readonly name = 'TenureOver';

  constructor() {
    super('not sent: the lease has ended, and another may act by now');
  }
}

/** A tenure that has no end until it is given one. */
export function createTenure(clock: Pick<Clock, 'now'>): HeldTenure {
  let until = Infinity;
  let whenOver = (): void => undefined;
  return {
    check: () => {
      if (clock.now() >= until) {
        whenOver();
        throw new TenureOver();
      }
    },
    extend: (to, over) => {
      until = to;
      whenOver = over;
    },
    end: () => {
      until = -Infinity;
    },
  };
}
