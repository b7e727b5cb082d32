import type { StorageClass } from '@holdfast/core';
import type { EventHandler, Priority } from '@holdfast/runtime';
import { defaultClass } from './decide.ts';
import type { LiveDefault } from './live-default.ts';

/** The default class by the cache, and what its changes mean for claims that wait. */
export interface CachedDefault {
  /** Undefined: there is none. */
  current(): StorageClass | undefined;
  readonly handler: EventHandler<StorageClass>;
  /** Asks as `live` does, and keeps in mind whether the answer was one. */
  asking(live: LiveDefault): LiveDefault;
}

export interface CachedDefaultOptions {
  readonly classes: () => Iterable<StorageClass>;
  /** Wakes every claim that waits. */
  readonly wakeAll: (priority: Priority) => void;
}

/**
 * Wakes all claims that wait when another class becomes the default. While the API server's classes do not say which is the default, since one that might be can't be
 * read, so does any change of a class: it might be the one that mends it, and the claims have come to wait for a quarter of an hour by their failures.
 */
export function createCachedDefault({ classes, wakeAll }: CachedDefaultOptions): CachedDefault {
  let current: StorageClass | undefined;
  let openQuestions = 0;
  let hasFailed = false;

  const look = (priority: Priority): void => {
    const before = current;
    current = defaultClass(classes());
    if (
      current !== undefined &&
      (hasFailed || openQuestions > 0 || current.metadata.uid !== before?.metadata.uid)
    ) {
      wakeAll(priority);
    }
  };

  return {
    current: () => current,
    handler: {
      added: (_class, initial) => look(initial ? 'initial' : 'event'),
      updated: () => look('event'),
      deleted: () => look('event'),
      leftOut: () => look('event'),
    },
    asking: (live) => async (cached, signal) => {
      // Open ones count: a change that comes before the answer might not be in it.
      openQuestions += 1;
      try {
        const answer = await live(cached, signal);
        hasFailed = false;
        return answer;
      } catch (error) {
        hasFailed = true;
        throw error;
      } finally {
        openQuestions -= 1;
      }
    },
  };
}
