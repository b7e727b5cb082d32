import type { Clock } from '@holdfast/runtime';

/** The work was not begun because others took too long. Nothing is wrong with it: try again later. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

/**
 * Begins the work in its turn, or immediately if there is a free place.
 *
 * @throws NoTurnError; what the work throws.
 */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * How long work waits in line, in milliseconds: less than a third of the time for one try to delete a volume.
 */
const turnLimit = 20_000;

/**
 * Limits how much work runs at once, and begins it in the order in which it comes.
 *
 * @param places how much work can run at the moment.
 */
export function createLine(clock: Pick<Clock, 'after'>, places: () => number): InTurn {
  let underWay = 0;
  /** In the order in which they came. */
  const waiting = new Set<() => void>();

  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        timer.cancel();
        resolve();
      };
      const timer = clock.after(turnLimit, () => {
        waiting.delete(begin);
        reject(new NoTurnError(`not begun: others were under way for ${String(turnLimit / 1000)} s`));
      });
      waiting.add(begin);
    });

  const giveBack = (): void => {
    underWay -= 1;
    for (const begin of waiting) {
      if (underWay >= places()) {
        return;
      }
      waiting.delete(begin);
      underWay += 1;
      begin();
    }
  };

  return async (work) => {
    if (underWay < places() && waiting.size === 0) {
      underWay += 1;
    } else {
      await turn();
    }
    try {
      return await work();
    } finally {
      giveBack();
    }
  };
}
