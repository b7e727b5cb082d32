import { StatusError } from '../meta/status-error.ts';
import { convertedEntries } from '../resources/converted-entries.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { Change, Entry } from '../storage/storage.ts';
import type { ServerState } from './server-state.ts';

/*
 * Changes of kinds that a webhook converts, in the form of one definition. Watchers get them in order,
 * however long the webhook takes. While the webhook fails they get nothing, and when it works again they
 * continue from where they were, like watchers of the real server's watch cache.
 */

/** Milliseconds between two calls of a webhook that fails. */
const retryPeriod = 100;

/**
 * How many changes may wait for the webhook. If there are more, the watch ends and its client has to list
 * again.
 */
const waitingLimit = 10_000;

export interface ConvertedChanges {
  /** Takes the changes in the order in which storage makes them. */
  add(change: Change): void;
  /** The revision up to which all changes were passed on. */
  reached(newest: number): number;
  stop(): void;
}

/**
 * Converts changes and passes them on.
 *
 * @param needsPrevious whether to convert the state before a change, too
 * @param end called if too many changes wait; nothing more is delivered after that
 */
export function convertChanges(
  { after }: ServerState,
  definition: ResourceDefinition,
  needsPrevious: boolean,
  deliver: (change: Change) => void,
  end: () => void,
): ConvertedChanges {
  const waiting: Change[] = [];
  let hasEnded = false;
  const isStopped = (): boolean => hasEnded;
  let isRunning = false;
  let retry: { cancel(): void } | undefined;

  async function converted(change: Change): Promise<Change> {
    const { entry, previous } = change;
    const states = needsPrevious && previous !== undefined ? [entry, previous] : [entry];
    const [shown = entry, before] = await convertedEntries(definition, states);
    return { ...change, entry: shown, previous: before };
  }

  async function run(): Promise<void> {
    for (let change = waiting[0]; change !== undefined && !isStopped(); change = waiting[0]) {
      const shown = await converted(change).catch(() => undefined);
      if (shown === undefined) {
        await new Promise<void>((resolve) => (retry = after(retryPeriod, resolve)));
      } else if (!isStopped()) {
        waiting.shift();
        deliver(shown);
      }
    }
    isRunning = false;
  }

  function stop(): void {
    hasEnded = true;
    waiting.length = 0;
    retry?.cancel();
  }

  return {
    add(change) {
      if (isStopped()) {
        return;
      }
      waiting.push(change);
      if (waiting.length > waitingLimit) {
        stop();
        end();
      } else if (!isRunning) {
        isRunning = true;
        void run();
      }
    },
    reached: (newest) => (waiting[0] === undefined ? newest : waiting[0].revision - 1),
    stop,
  };
}

/**
 * Returns the initial events of a watch. Throws 429 if they cannot be converted, like the real server when
 * its watch cache was never filled.
 */
export async function initiallyConverted(
  definition: ResourceDefinition,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  try {
    return await convertedEntries(definition, entries);
  } catch (error) {
    if (!(error instanceof StatusError)) {
      throw error;
    }
    const kind = `${apiVersionOf(definition)}, Kind=${definition.kind}`;
    const message = `storage is (re)initializing: failed to list ${kind}: ${error.message}`;
    throw new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
  }
}
