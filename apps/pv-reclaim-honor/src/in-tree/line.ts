import type { Clock } from '@holdfast/runtime';

/** Others have taken so long that the work was not begun. Nothing is wrong with it: come back later. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

/** Begins the work in its turn, in the same turn of the event loop where there is a place. @throws NoTurnError; what the work throws. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** How long work stands in line, milliseconds: less than a third of what a try to delete a volume may take. */
const turnLimit = 20_000;

/**
 * Lets work begin in the order in which it comes, only so much of it at once.
 *
 * @param places how much, at the moment.
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
