import type { Clock } from '../time/clock.ts';
import { afterTimeToCallOff } from './time-to-call-off.ts';

/**
 * Tells whether this process is still allowed to act.
 *
 * The leader election's timer also ends a tenure, but that is not enough for a process that was stopped
 * (SIGSTOP, a frozen cgroup). When it continues, it receives what arrived meanwhile before its timers run,
 * and would act on it: an hour's soak saw five patches ten seconds after the lease had ended. So the client
 * asks in the same turn of the event loop in which it hands a write to the socket.
 *
 * The clock is monotonic: it does not count while the machine sleeps, nor, under most hypervisors, while a
 * virtual machine is paused. Such a pause is not noticed.
 */
export interface Tenure {
  /**
   * Must be called right before an act.
   *
   * @throws TenureOver if the lease has ended. The work under way has been abandoned by then.
   */
  check(): void;
  /**
   * Returns a time before which nothing that waits in the cluster for its time may be carried out, in
   * milliseconds since 1970. It can be long past. Undefined if there is none, as without leader election.
   *
   * It is an hour after the program was led again, if nobody had led it for more than five minutes before. Perhaps etcd
   * was restored from a backup: whatever became due in the time that the backup lacks might have been called off in
   * that time, and somebody needs time to call it off again.
   */
  nothingDueBefore(): number | undefined;
  /**
   * Returns the same by the lease as the API server has it now. Must be awaited after what waits for its time was
   * read, and before that is carried out: etcd can have been restored since the last renewal, and only the lease
   * shows it.
   *
   * @throws what the client throws.
   */
  askNothingDueBefore(signal: AbortSignal): Promise<number | undefined>;
}

/**
 * A tenure that the leader election controls. It has no end before the first `extend`: a process without
 * leader election always acts, and a candidate has no work yet.
 */
export interface HeldTenure extends Tenure {
  /**
   * Sets when the tenure ends.
   *
   * @param until time of the clock, in milliseconds.
   * @param over called by the `check` that finds the tenure ended.
   */
  extend(until: number, over: () => void): void;
  /**
   * Sets since when somebody leads again after nobody had led for long, in milliseconds since 1970; undefined if
   * that is not known to have happened.
   */
  leadsAgainSince(time: number | undefined): void;
  /** Sets how the API server is asked for the time that {@link leadsAgainSince} gets. Default: it is not asked. */
  askBy(ask: (signal: AbortSignal) => Promise<number | undefined>): void;
  /** Ends the tenure for good. */
  end(): void;
}

/** An act was refused, since another process might lead by now. */
export class TenureOver extends Error {
  override readonly name = 'TenureOver';

  constructor() {
    super('not sent: the lease has ended, and another may act by now');
  }
}

function nothingDueBefore(ledAgain: number | undefined): number | undefined {
  return ledAgain === undefined ? undefined : afterTimeToCallOff(ledAgain);
}

/** Creates a tenure without an end until it is given one. */
export function createTenure(clock: Pick<Clock, 'now'>): HeldTenure {
  let until = Infinity;
  let whenOver = (): void => undefined;
  let ledAgain: number | undefined;
  let ask: Parameters<HeldTenure['askBy']>[0] = () => Promise.resolve(ledAgain);
  return {
    check: () => {
      if (clock.now() >= until) {
        whenOver();
        throw new TenureOver();
      }
    },
    nothingDueBefore: () => nothingDueBefore(ledAgain),
    askNothingDueBefore: async (signal) => nothingDueBefore(await ask(signal)),
    askBy: (way) => {
      ask = way;
    },
    leadsAgainSince: (time) => {
      ledAgain = time;
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
