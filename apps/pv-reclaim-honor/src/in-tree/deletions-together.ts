import type { Clock } from '@holdfast/runtime';
import { createLine, NoTurnError, type InTurn } from './line.ts';

/** Deletions that one look at all folders serves. */
const least = 2;
const most = 128;

/**
 * Lets deletions of folders go together, as many as come to their turn while a look lasts.
 *
 * Where the folders of all other volumes are costs the same for one deletion as for all that ask at the same time; but the folders are
 * removed one or two at a time, and a look that has grown too old by then was in vain, with all its requests. So two go together at first,
 * twice as many after all of them came to their turn, and two again when one of them did not.
 *
 * @param isEnding the controller ends: whoever waits is let go without having begun.
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
