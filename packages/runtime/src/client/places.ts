import { createFairShare } from '../sharing/fair-share.ts';
import { createTurns } from '../sharing/turns.ts';

/** A limit on how many go on at once, of which no group can use up all. */
export interface Places {
  /**
   * Takes a place for the group, and waits until it may have one. Groups come in turn, and those of one group in the order in which they
   * came.
   *
   * @throws the signal's reason when aborted while waiting; no place is then taken.
   */
  take(group: string, signal: AbortSignal): Promise<void>;
  giveBack(group: string): void;
}

interface Waiter {
  /** Has its place, or does not want it any more. */
  isOver: boolean;
  grant(): void;
}

/** See {@link createFairShare}: a group that is alone may have half of the places. */
export function createPlaces(places: number): Places {
  const share = createFairShare(places);
  const waiting = createTurns<Waiter>();

  const serve = (): void => {
    for (let found = waiting.next(share.mayTake); found !== undefined; found = waiting.next(share.mayTake)) {
      const { group, value: waiter } = found;
      if (!waiter.isOver) {
        share.take(group);
        waiter.grant();
      }
    }
  };

  const wait = (group: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const abort = (): void => {
        waiter.isOver = true;
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        isOver: false,
        grant: () => {
          waiter.isOver = true;
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      waiting.add(group, waiter);
      signal.addEventListener('abort', abort, { once: true });
    });

  return {
    take: async (group, signal) => {
      if (share.mayTake(group) && !waiting.has(group)) {
        share.take(group);
      } else {
        await wait(group, signal);
      }
    },
    giveBack: (group) => {
      share.giveBack(group);
      serve();
    },
  };
}
