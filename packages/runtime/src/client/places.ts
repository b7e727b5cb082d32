import { createFairShare } from '../sharing/fair-share.ts';
import { createTurns } from '../sharing/turns.ts';

/** A limit on how many run at once, of which no group can use up all places. */
export interface Places {
  /**
   * Waits for a place for the group. Groups take turns, and each group is served in order of arrival.
   *
   * @throws the signal's reason if aborted while waiting; no place is then taken.
   */
  take(group: string, signal: AbortSignal): Promise<void>;
  giveBack(group: string): void;
}

interface Waiter {
  /** Whether it has its place, or no longer wants one. */
  isOver: boolean;
  grant(): void;
}

/** Creates places as in {@link createFairShare}: a group that is alone can have half of them. */
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
