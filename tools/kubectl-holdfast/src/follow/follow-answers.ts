import { sleep, type Clock, type ConnectedClient } from '@holdfast/runtime';
import { NotFound } from '../cluster/not-found.ts';
import { followReads, type FollowOptions } from './followed-reads.ts';
import { untilAborted } from './until-aborted.ts';

export interface FollowAnswersOptions<T> extends Pick<
  FollowOptions,
  'client' | 'clock' | 'logger' | 'onTrouble'
> {
  readonly ask: (client: ConnectedClient) => Promise<T>;
  /** Called with each answer, also with one that is as the one before. */
  readonly show: (answer: T) => Promise<void>;
  /** Why a later round could not be answered; it is tried again. */
  readonly onError: (error: unknown) => void;
  /** Whether what can't be watched is asked for again at each look, every five seconds. Default: when something else changes. */
  readonly asksAgain?: boolean;
}

/** After a change, milliseconds: what is done together comes in several events. */
const settling = 100;
/** Milliseconds; then the answer is looked at once more, since a lease ends without an event. Nothing is asked of the API server for that. */
const breath = 5_000;

/**
 * Answers, and answers again whenever something changes that the answer rests on, until the signal is aborted or the object is gone.
 *
 * @returns `gone`: what was asked about was there, and is not any more.
 * @throws what the first round throws.
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
  /** Whether it rang since the reset, or does within the time; false also when aborted. Never rejects. */
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
