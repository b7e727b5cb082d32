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

/** How far the work has come, as seen by a watch. */
export interface Progress {
  /** When the first object was seen at the goal, by `performance.now`; undefined if none was. */
  firstAt(): number | undefined;
  /**
   * The longest time from the arrival of an object to its goal, in milliseconds, among the objects that were
   * seen to arrive; undefined if none arrived.
   */
  slowest(): number | undefined;
  /**
   * Resolves when the last object reaches the goal. Rejects if no watch can be opened, or if nothing happens
   * for too long.
   */
  readonly done: Promise<void>;
  close(): void;
}

/**
 * The maximum time between two objects, in milliseconds. A contestant starts much faster than this on any
 * machine.
 */
const stallLimit = 60_000;

/** In milliseconds. */
const betweenWatches = 100;

/**
 * Follows the work by a watch instead of polling: a watch shows the moment of the end to the millisecond. In
 * its metadata-only form it costs the API server the same for both contestants, because neither can share it.
 * (The API server encodes an event once for all watches of the same form.)
 *
 * Resolves when the server has started the watch, from the present state.
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
  /**
   * The API server ends a watch that does not keep up, and a busy server ends several in a row. The next
   * watch continues where the last one ended, until the time limit.
   */
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
  // Callers that wait for it get the error; until one does, it must not count as an unhandled rejection.
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
