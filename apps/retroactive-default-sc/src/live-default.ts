import type { StorageClass } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import { defaultClass, type Live } from './decide.ts';

/**
 * The default class as the API server itself has it. One list serves the claims of a batch for five seconds, as long as the
 * cache has the same default in the same state; after that the next claim has a new list made.
 *
 * @throws what the list throws; the next call lists again.
 */
export type LiveDefault = (cachedDefault: StorageClass, signal: AbortSignal) => Promise<Live>;

/** Milliseconds. A batch takes long when the rate limit is low, and the cache might have lost its watch meanwhile. */
const maxAge = 5_000;

/** @param listClasses lists all classes at their newest state. */
export function createLiveDefault(
  clock: Clock,
  listClasses: (signal: AbortSignal) => Promise<readonly StorageClass[]>,
): LiveDefault {
  let asked:
    { readonly under: StorageClass; readonly since: number; readonly answer: Promise<Live> } | undefined;

  return async (cachedDefault, signal) => {
    if (asked?.under !== cachedDefault || clock.now() - asked.since > maxAge) {
      asked = {
        under: cachedDefault,
        since: clock.now(),
        answer: listClasses(signal).then((classes) => ({
          askedUnder: cachedDefault,
          defaultClass: defaultClass(classes),
        })),
      };
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
}
