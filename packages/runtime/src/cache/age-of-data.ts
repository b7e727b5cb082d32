import { isOlderVersion } from '@holdfast/core';
import { sleep, type Clock } from '../time/clock.ts';

/** How the server's data compare with what it had before; `unknown`: it has not answered yet. */
export type AgeOfData = 'older' | 'notOlder' | 'unknown';

/**
 * Finds out whether the server's data are older than they were, which only a restored backup explains. The server might
 * be too slow or too busy to answer for minutes, and a watch must not wait for that. So the question goes on beside the
 * watch, until it is answered.
 */
export interface AgeQuestion {
  /**
   * Asks, or continues to ask, and returns the answer. If there is none within the patience, it returns `unknown`, at
   * once if it did so before. `onOlder` is called if the answer is `older` in the end; otherwise the next call returns
   * it.
   *
   * @param known a version that the server has had.
   * @throws what the request throws within the patience, unless the server is busy; the signal's reason when aborted.
   */
  ask(known: string, signal: AbortSignal): Promise<AgeOfData>;
  /** Records that the server might have other data from now on than when it was asked. */
  doubt(): void;
  /** Ends the question that is under way, if any. Its answer counts for nothing. */
  drop(): void;
}

export interface AgeQuestionOptions {
  /** Requests the newest version from the server. */
  readonly newestVersion: (signal: AbortSignal) => Promise<string>;
  readonly isBusy: (error: unknown) => boolean;
  readonly onOlder: () => void;
  readonly clock: Clock;
}

interface Question {
  known: string;
  doubts: number;
  /** Whether the answer is there, and is not that the data are older. */
  isAnswered: boolean;
  /** Whether whoever asked does without the answer by now. */
  isLate: boolean;
  readonly stop: AbortController;
  answer: Promise<AgeOfData>;
}

/** How long an answer is waited for, in milliseconds. */
const patience = 5_000;
/** The time after which a server that was busy, or has failed, is asked again, in milliseconds. */
const pause = 10_000;

export function createAgeQuestion(options: AgeQuestionOptions): AgeQuestion {
  const { newestVersion, isBusy, onOlder, clock } = options;
  let question: Question | undefined;

  const answerTo = async (asked: Question): Promise<AgeOfData> => {
    const { signal } = asked.stop;
    for (;;) {
      const { known, doubts } = asked;
      try {
        const newest = await newestVersion(signal);
        if (isOlderVersion(newest, known)) {
          if (asked.isLate && asked === question) {
            onOlder();
          }
          return 'older';
        }
        // An answer from before the doubt can still show that the data were older, but not that they are not now.
        if (asked.doubts === doubts) {
          asked.isAnswered = true;
          return 'notOlder';
        }
      } catch (error) {
        if (signal.aborted || !(asked.isLate || isBusy(error))) {
          throw error;
        }
        await sleep(clock, pause, signal);
      }
    }
  };

  const begin = (known: string): Question => {
    const begun: Question = {
      known,
      doubts: 0,
      isAnswered: false,
      isLate: false,
      stop: new AbortController(),
      answer: Promise.resolve('unknown'),
    };
    begun.answer = answerTo(begun);
    // Nobody might wait for it any more when it is dropped.
    begun.answer.catch(() => undefined);
    return begun;
  };

  const drop = (): void => {
    question?.stop.abort(new Error('the question is moot'));
    question = undefined;
  };

  /** Returns the answer, or `unknown` once the patience is over. */
  const wait = async (asked: Question, signal: AbortSignal): Promise<AgeOfData> => {
    if (asked.isLate) {
      // An answer that is there already comes first.
      return Promise.race([asked.answer, Promise.resolve('unknown' as const)]);
    }
    const over = new AbortController();
    const late = sleep(clock, patience, AbortSignal.any([signal, over.signal]));
    try {
      return await Promise.race([asked.answer, late.then(() => 'unknown' as const)]);
    } finally {
      over.abort();
    }
  };

  return {
    ask: async (known, signal) => {
      const asked = (question ??= begin(known));
      asked.known = known;
      try {
        const answer = await wait(asked, signal);
        if (answer === 'unknown') {
          asked.isLate = true;
        } else {
          question = undefined;
        }
        return answer;
      } catch (error) {
        drop();
        throw error;
      }
    },
    doubt: () => {
      if (question?.isAnswered === true) {
        question = undefined;
      } else if (question !== undefined) {
        question.doubts += 1;
      }
    },
    drop,
  };
}
