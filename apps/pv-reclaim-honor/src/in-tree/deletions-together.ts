import type { Clock } from '@holdfast/runtime';
import { createLine, NoTurnError, type InTurn } from './line.ts';

/** How many deletions share one look at all folders. */
const least = 2;
const most = 128;

/**
 * Lets deletions of folders go together, as many as get their turn before a look grows too old.
 *
 * Finding the folders of all other volumes costs the same for one deletion as for all that ask at the same
 * time. But folders are removed one or two at a time, and if the look has grown too old by then, all its
 * requests were in vain. So at first two deletions go together, twice as many after all of them got their
 * turn, and two again after one did not.
 *
 * @param isEnding whether the controller ends: then waiting deletions are released without having begun.
 */
export function createDeletionsTogether(clock: Pick<Clock, 'after'>, isEnding: () => boolean): InTurn {
  let together = least;
  const inTurn = createLine(clock, () => together);
  const tryOne = async <T>(deletion: () => Promise<T>): Promise<T> => {
    if (isEnding()) {
      throw new NoTurnError('not begun: the controller ends');
    }
    try {
      const result = await deletion();
      together = Math.min(together + 1, most);
      return result;
    } catch (error) {
      if (error instanceof NoTurnError) {
        together = least;
      }
      throw error;
    }
  };
  return (deletion) => inTurn(() => tryOne(deletion));
}
