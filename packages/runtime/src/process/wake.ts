import type { EventHandler } from '../cache/informer.ts';
import type { Priority } from '../queue/ready-keys.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/**
 * A key to be woken only after this many milliseconds, regardless of priority. Of several delays of a key the
 * earliest counts.
 */
export interface WokenLater {
  readonly key: string;
  readonly delay: number;
}

/**
 * The keys that a change wakes: one, several or none. Each is queued as it is returned, so that keys before
 * an error stay queued.
 */
export type Woken = string | Iterable<string | WokenLater> | undefined;

/**
 * Maps the changes of one kind to the keys that they wake, given what changed and what the caches hold. Other
 * effects of a change belong in a handler of their own (`addHandler` of the informer), unless they follow
 * from the same look at the object and would repeat it. Called when the store is already in the new state.
 */
export interface Wakes<T> {
  /**
   * Called if the object was added or changed and `added` or `updated` is not given: for controllers that
   * treat both alike.
   *
   * @param initial see {@link EventHandler.added}; false for a change.
   */
  readonly present?: (object: T, initial: boolean) => Woken;
  /** See {@link EventHandler.added}. */
  readonly added?: (object: T, initial: boolean) => Woken;
  /** See {@link EventHandler.updated}. */
  readonly updated?: (before: T, after: T) => Woken;
  /** See {@link EventHandler.deleted}. */
  readonly deleted?: (last: T) => Woken;
}

/** The part of a queue that wakes need. */
export type WakeQueue = Pick<WorkQueue, 'add' | 'addAfter'>;

/** Connects a kind to the queue of a controller, once, before the informers run. */
export type Wake = (queue: WakeQueue) => void;

/**
 * Declares what wakes the keys of a controller:
 *
 *     wakes: [wake(claims, { present: itself }), wake(pods, { present: claimsOf, deleted: claimsOf })]
 *
 * @param kind the informer, as `watch` returns it.
 * @param priority of the keys. Default: `initial` if the object existed before the informer or its handlers
 *   started, otherwise `event`.
 */
export function wake<T>(
  kind: { addHandler(handler: EventHandler<T>): void },
  { present, added = present, updated, deleted }: Wakes<T>,
  priority?: Priority,
): Wake {
  return (queue) => {
    const add = (woken: Woken, own: Priority): void => {
      if (typeof woken === 'string') {
        queue.add(woken, own);
      } else if (woken !== undefined) {
        for (const each of woken) {
          if (typeof each === 'string') {
            queue.add(each, own);
          } else {
            queue.addAfter(each.key, each.delay);
          }
        }
      }
    };
    const change = priority ?? 'event';
    const start = priority ?? 'initial';
    kind.addHandler({
      ...(added && {
        added: (object: T, initial: boolean) => add(added(object, initial), initial ? start : change),
      }),
      ...(updated
        ? { updated: (before: T, after: T) => add(updated(before, after), change) }
        : present && { updated: (_before: T, after: T) => add(present(after, false), change) }),
      ...(deleted && { deleted: (last: T) => add(deleted(last), change) }),
    });
  };
}
