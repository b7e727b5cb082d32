import { setTimeout as pause } from 'node:timers/promises';
import { collectionPath } from '@holdfast/core';
import type { Goal } from './benchmark.ts';
import {
  json,
  metadataOnly,
  metadataOnlyList,
  type ClusterApi,
  type Watch,
  type WatchEvent,
} from './cluster-api.ts';

/** How far the work has come, as told by a watch. */
export interface Progress {
  /** When the first object was seen at the goal, as `performance.now` counts; undefined: none was. */
  firstAt(): number | undefined;
  /** Milliseconds, of the objects that were seen to come: the longest from there to the goal; undefined: none came. */
  slowest(): number | undefined;
  /** Resolves as the last object reaches the goal; rejects when no watch can be had or nothing moves for too long. */
  readonly done: Promise<void>;
  close(): void;
}

/** So long may pass between two objects, milliseconds; the start of a contestant is much shorter on any machine. */
const stallLimit = 60_000;

/** Milliseconds. */
const betweenWatches = 100;

/**
 * Follows the work by a watch, not by asking again and again: a watch tells the moment of the end to the millisecond, and
 * by its metadata-only form it costs the API server the same beside either contestant, since neither can share it. (The
 * API server encodes an event once for all watches of the same form.)
 *
 * Resolves when the server has taken up the watch, from the state of now.
 */
export async function followProgress(api: ClusterApi, goal: Goal): Promise<Progress> {
  const path = collectionPath(goal.resource);
  const { metadata } = await api.get<{ readonly metadata: { readonly resourceVersion: string } }>(
    `${path}?limit=1`,
    metadataOnlyList,
  );
  const reached = new Set<string>();
  const came = new Map<string, number>();
  let firstAt: number | undefined;
  let slowest: number | undefined;
  let finish = (): void => undefined;
  let stall = (): void => undefined;
  const settledItself = new Promise<void>((resolve, reject) => {
    finish = resolve;
    stall = () =>
      reject(
        new Error(
          `${String(reached.size)} of ${String(goal.objects)} done, and nothing moved for ${String(stallLimit / 1000)} s`,
        ),
      );
  });
  const patience = setTimeout(() => stall(), stallLimit);
  let version = metadata.resourceVersion;
  const onEvent = (event: WatchEvent): void => {
    const { uid, resourceVersion } = event.object.metadata;
    version = resourceVersion;
    const now = performance.now();
    if (!goal.reached(event)) {
      if (event.type === 'ADDED') {
        came.set(uid, now);
      }
      return;
    }
    firstAt ??= now;
    const since = came.get(uid);
    if (since !== undefined && !reached.has(uid)) {
      slowest = Math.max(slowest ?? 0, now - since);
    }
    reached.add(uid);
    patience.refresh();
    if (reached.size === goal.objects) {
      finish();
    }
  };
  const open = (): Promise<Watch> =>
    api.watch(
      `${path}?watch=true&resourceVersion=${version}&timeoutSeconds=86400`,
      goal.watched === 'metadata' ? metadataOnly : json,
      onEvent,
    );
  let watch = await open();
  let isClosed = false;
  /** The API server ends a watch that does not keep up, a busy one several in a row; the next goes on where it ended, until patience ends. */
  const follow = async (): Promise<never> => {
    for (;;) {
      await watch.failed.catch(() => pause(betweenWatches));
      const next = await open();
      if (isClosed) {
        next.close();
      }
      watch = next;
    }
  };
  const done = Promise.race([settledItself, follow()]);
  // Whoever waits hears of it; until somebody does, it is not an unhandled rejection.
  done.catch(() => undefined);
  return {
    firstAt: () => firstAt,
    slowest: () => slowest,
    done,
    close() {
      isClosed = true;
      clearTimeout(patience);
      watch.close();
    },
  };
}
