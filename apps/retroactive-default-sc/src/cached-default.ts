import type { StorageClass } from '@holdfast/core';
import type { EventHandler, Priority } from '@holdfast/runtime';
import { defaultClass } from './decide.ts';
import type { LiveDefault } from './live-default.ts';

/** The default class in the cache, and what its changes mean for waiting claims. */
export interface CachedDefault {
  /** Returns the default class; undefined if there is none. */
  current(): StorageClass | undefined;
  readonly handler: EventHandler<StorageClass>;
  /** Wraps `live`, and remembers whether its last call failed. */
  asking(live: LiveDefault): LiveDefault;
}

export interface CachedDefaultOptions {
  readonly classes: () => Iterable<StorageClass>;
  /** Wakes every waiting claim. */
  readonly wakeAll: (priority: Priority) => void;
}

/**
 * Wakes all waiting claims when another class becomes the default.
 *
 * If the API server's classes do not show which one is the default, because one that might be cannot be read,
 * any change of a class wakes them too. It might be the change that repairs that class, and by then the
 * claims wait up to a quarter of an hour because of their failures.
 */
export function createCachedDefault({ classes, wakeAll }: CachedDefaultOptions): CachedDefault {
  let current: StorageClass | undefined;
  let openQuestions = 0;
  let hasFailed = false;

  const change = (priority: Priority, to: StorageClass | undefined): void => {
    const before = current;
    current = to;
    if (
      current !== undefined &&
      (hasFailed || openQuestions > 0 || current.metadata.uid !== before?.metadata.uid)
    ) {
      wakeAll(priority);
    }
  };

  const isCurrent = ({ metadata: { uid } }: StorageClass): boolean => uid === current?.metadata.uid;

  /** Goes through all classes only if it has to: a first list can have thousands, each of which is added. */
  const afterAddition = (added: StorageClass): StorageClass | undefined => {
    if (current !== undefined) {
      return defaultClass([current, added]);
    }
    return defaultClass([added]) === undefined ? undefined : defaultClass(classes());
  };

  return {
    current: () => current,
    handler: {
      added: (added, initial) => change(initial ? 'initial' : 'event', afterAddition(added)),
      updated: (_before, updated) =>
        change('event', isCurrent(updated) ? defaultClass(classes()) : afterAddition(updated)),
      deleted: (deleted) => change('event', isCurrent(deleted) ? defaultClass(classes()) : current),
      leftOut: () => change('event', current),
    },
    asking: (live) => async (cached, signal) => {
      // Calls under way count: a change that comes before the response might not be in it.
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
