import type { StorageClass } from '@holdfast/core';
import { openLook, type Clock, type Look } from '@holdfast/runtime';
import type { Live } from './decide.ts';
import { defaultForSure } from './default-for-sure.ts';

/**
 * Returns the default class according to the API server itself. One list serves the claims of a batch for a
 * second, while the cache has the same default in the same state; then the next call lists again.
 *
 * @throws what the list and `defaultForSure` throw; the next call lists again.
 */
export type LiveDefault = (cachedDefault: StorageClass, signal: AbortSignal) => Promise<LiveAnswer>;

export interface LiveAnswer {
  readonly live: Live;
  /** For the write that is based on it. */
  readonly look: Look;
}

/**
 * In milliseconds. A look is valid for at least the shortest of these, and for twice the time that the last
 * list took, if that is more. The longest is a limit, because a process that was frozen for an hour during a
 * list must not trust the next one for two.
 */
const shortestAge = 2_000;
const longestAge = 128_000;
/**
 * In milliseconds. A look with less time left is not handed out any more, since the write has to wait its
 * turn.
 */
const reserve = 1_000;

/**
 * @param clock that of the client, by which looks age.
 * @param listClasses lists all classes at their newest state, in whatever shape.
 * @returns a function that opens the question for a batch.
 */
export function createLiveDefaults(
  clock: Pick<Clock, 'now'>,
  listClasses: (look: Look, signal: AbortSignal) => Promise<readonly StorageClass[]>,
): () => LiveDefault {
  let took = 0;

  const ask = async (cachedDefault: StorageClass, look: Look, signal: AbortSignal): Promise<LiveAnswer> => {
    const classes = await listClasses(look, signal);
    took = clock.now() - (look.lookedAt ?? clock.now());
    return { live: { askedUnder: cachedDefault, defaultClass: defaultForSure(classes) }, look };
  };

  return () => {
    let asked:
      { readonly under: StorageClass; readonly look: Look; readonly answer: Promise<LiveAnswer> } | undefined;
    const isGood = ({ lookedAt, maxAge }: Look): boolean =>
      lookedAt === undefined || clock.now() - lookedAt <= maxAge - reserve;

    return async (cachedDefault, signal) => {
      if (asked?.under !== cachedDefault || !isGood(asked.look)) {
        const look = openLook({ maxAge: Math.min(Math.max(shortestAge, 2 * took), longestAge) });
        asked = { under: cachedDefault, look, answer: ask(cachedDefault, look, signal) };
      }
      const question = asked;
      try {
        return await question.answer;
      } catch (error) {
        if (asked === question) {
          asked = undefined;
        }
        throw error;
      }
    };
  };
}
