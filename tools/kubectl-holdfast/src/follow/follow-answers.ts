import { sleep, type Clock, type ConnectedClient } from '@holdfast/runtime';
import { NotFound } from '../cluster/not-found.ts';
import { followReads, type FollowOptions } from './followed-reads.ts';
import { untilAborted } from './until-aborted.ts';

export interface FollowAnswersOptions<T> extends Pick<
  FollowOptions,
  'client' | 'clock' | 'logger' | 'onTrouble'
> {
  readonly ask: (client: ConnectedClient) => Promise<T>;
  /** Called with each answer, even if it equals the previous one. */
  readonly show: (answer: T) => Promise<void>;
  /** Called with the reason why a later round failed; the round is repeated. */
  readonly onError: (error: unknown) => void;
  /**
   * Whether to request again, every five seconds, what cannot be watched. Default: only when something else
   * changes.
   */
  readonly asksAgain?: boolean;
}

/** Milliseconds to wait after a change, because changes that are made together arrive as several events. */
const settling = 100;
/**
 * Milliseconds after which the answer is computed again even without a change, because a lease expires
 * without an event. This sends no request to the API server.
 */
const breath = 5_000;

/**
 * Answers, and answers again whenever something changes on which the answer depends, until the signal is
 * aborted or the object is gone.
 *
 * @returns `gone` if the object existed and no longer does
 * @throws what the first round throws
 */
export async function followAnswers<T>(
  { ask, show, onError, asksAgain = false, client, clock, logger, onTrouble }: FollowAnswersOptions<T>,
  signal: AbortSignal,
): Promise<'stopped' | 'gone'> {
  const change = createBell(clock);
  const reads = followReads({ client, clock, logger, onTrouble, onChange: change.ring });
  try {
    const isStopped = (): boolean => signal.aborted;
    for (let isFirst = true; !isStopped(); isFirst = false) {
      change.reset();
      try {
        await show(await reads.round(() => untilAborted(ask(reads.client), signal)));
      } catch (error) {
        if (isStopped()) {
          return 'stopped';
        }
        if (isFirst) {
          throw error;
        }
        if (error instanceof NotFound) {
          return 'gone';
        }
        onError(error);
      }
      if (!(await change.heard(breath, signal))) {
        if (asksAgain) {
          reads.forget();
        }
      } else {
        await sleep(clock, settling, signal).catch(() => undefined);
      }
    }
    return 'stopped';
  } finally {
    await reads.close();
  }
}

interface Bell {
  ring(): void;
  reset(): void;
  /**
   * Whether the bell rang since the reset, or rings within the time; false also if aborted. Never rejects.
   */
  heard(time: number, signal: AbortSignal): Promise<boolean>;
}

function createBell(clock: Clock): Bell {
  let rang = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rang = true;
      wake?.();
    },
    reset: () => {
      rang = false;
    },
    heard: (time, signal) =>
      new Promise((resolve) => {
        if (rang || signal.aborted) {
          resolve(rang);
          return;
        }
        const end = (): void => {
          timer.cancel();
          signal.removeEventListener('abort', end);
          wake = undefined;
          resolve(rang);
        };
        const timer = clock.after(time, end);
        signal.addEventListener('abort', end, { once: true });
        wake = end;
      }),
  };
}
