import { setImmediate as settled } from 'node:timers/promises';
import type { Activity } from './activity.ts';
import type { LogLine } from './kept-log.ts';
import { lastTrouble } from './last-trouble.ts';
import type { Observation } from './observed-app.ts';

export interface WaitOptions {
  /** The name of the operator, for errors. */
  readonly operator: string;
  readonly activity: Activity;
  /** The most milliseconds that a wait takes. */
  readonly patience: number;
  /** Undefined until the app was composed. */
  readonly observation: () => Observation | undefined;
  /** The error of an operator that has ended by itself or was stopped. */
  readonly endedError: () => Error | undefined;
  readonly lines: readonly LogLine[];
}

/** The waits of a test. Each fails with an error that says what it waited for. */
export interface Waits {
  /** Resolves when the controllers work. */
  begun(): Promise<void>;
  /** @param patience default: that of the options. */
  idle(patience?: number): Promise<void>;
  /** @param patience default: that of the options. */
  eventually<T>(expectation: () => T | Promise<T>, patience?: number): Promise<T>;
}

/**
 * Milliseconds after which to look again even if nothing happened: others might have written what the
 * operator does not watch.
 */
const heartbeat = 100;

export function createWaits(options: WaitOptions): Waits {
  const { operator, activity, observation, endedError, lines } = options;

  const throwIfEnded = (): void => {
    const end = endedError();
    if (end !== undefined) {
      throw end;
    }
  };

  /** Looks whenever something has happened, until nothing is missing. */
  const until = async (
    look: () => Promise<readonly string[]>,
    what: string,
    patience: number,
  ): Promise<void> => {
    const since = performance.now();
    for (;;) {
      const before = activity.count;
      // Also before the look, which needs connections that end with the operator.
      throwIfEnded();
      const missing = await look();
      throwIfEnded();
      if (missing.length === 0 && before === activity.count) {
        return;
      }
      if (performance.now() - since > patience) {
        throw new Error(
          `operator ${operator} ${what} after ${String(patience)} ms: ${missing.join('; ') || 'it never rests'}${lastTrouble(lines)}`,
        );
      }
      if (before === activity.count) {
        await activity.next(heartbeat);
      }
    }
  };

  return {
    begun: () =>
      until(
        () => Promise.resolve(observation()?.waitingFor() ?? ['it is not composed']),
        'does not work',
        options.patience,
      ),
    idle: (patience = options.patience) =>
      until(
        async () => {
          // The end of a reconcile can cause more, such as handing out a key that was added meanwhile, so
          // wait for that.
          await settled();
          const seen = observation();
          const busy = [...(seen?.waitingFor() ?? []), ...(seen?.busyWith() ?? [])];
          return busy.length > 0 ? busy : ((await seen?.behind()) ?? []);
        },
        'is not idle',
        patience,
      ),
    eventually: async (expectation, patience = options.patience) => {
      const since = performance.now();
      for (;;) {
        const before = activity.count;
        let failure: unknown;
        try {
          const answer = await expectation();
          if (answer !== false) {
            return answer;
          }
          failure = new Error('the expectation answers false');
        } catch (error) {
          failure = error;
        }
        throwIfEnded();
        if (performance.now() - since > patience) {
          const message = failure instanceof Error ? failure.message : String(failure);
          throw new Error(`not so after ${String(patience)} ms: ${message}${lastTrouble(lines)}`, {
            cause: failure,
          });
        }
        if (before === activity.count) {
          await activity.next(heartbeat);
        } else {
          await settled();
        }
      }
    },
  };
}
