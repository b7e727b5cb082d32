import { StatusError } from '../meta/status-error.ts';
import { convertedEntries } from '../resources/converted-entries.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { Change, Entry } from '../storage/storage.ts';
import type { ServerState } from './server-state.ts';

/*
 * Changes of kinds that a webhook converts, in the form of a definition. Watchers get them in their order, however long the webhook takes; while it
 * fails they get nothing, and from where they were on when it is back, as those of the real server's watch cache do.
 */

/** Between two calls of a webhook that fails. Milliseconds. */
const retryPeriod = 100;

/** Changes that may wait for the webhook. Whoever watches lists anew when there are more. */
const waitingLimit = 10_000;

export interface ConvertedChanges {
  /** Takes the changes as storage makes them, in their order. */
  add(change: Change): void;
  /** The revision up to which all changes were passed on. */
  reached(newest: number): number;
  stop(): void;
}

/**
 * @param needsPrevious whether the state before a change is converted as well
 * @param end called when too many wait, after which nothing more is delivered
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

/** What a watch from scratch begins with, or why it can't: as the real server answers whose watch cache never was filled. Throws 429. */
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
