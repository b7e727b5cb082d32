import type { PersistentVolume } from '@holdfast/core';
import type { WaitAfterVacancy } from '@holdfast/runtime';

/**
 * Until when a controller lets no undo window end, and collects no missed scale-down; `unread` if its lease may not be
 * read.
 */
export type SeenWait = WaitAfterVacancy | { readonly kind: 'unread' };

/** Returns the wait that is certain where it is not known which of these counts. */
export function shortestWait(waits: readonly SeenWait[]): SeenWait {
  const order = ['unread', 'none', 'until', 'onceLed'] as const;
  const [first] = waits.toSorted(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (timeOf(a) ?? 0) - (timeOf(b) ?? 0),
  );
  return first ?? { kind: 'none' };
}

/**
 * Returns the time before which no window is over, in milliseconds since 1970; undefined if there is none, or it is not
 * known.
 */
export function timeOf(wait: SeenWait): number | undefined {
  return wait.kind === 'until' || wait.kind === 'onceLed' ? wait.time : undefined;
}

const vacancy = 'nobody had led it for more than five minutes, or etcd was restored';
const unread = 'as after five minutes without a leader: you may not list leases';

/** Says how long a controller waits, and why; undefined if it does not wait at this time. */
export function waitWords(wait: SeenWait, now: number): string | undefined {
  const what = 'lets no undo window end, and collects no missed scale-down,';
  switch (wait.kind) {
    case 'none':
      return undefined;
    case 'until':
      return wait.time <= now ? undefined : `${what} before ${new Date(wait.time).toISOString()}: ${vacancy}`;
    case 'onceLed':
      return `${what} until an hour after it is led again: nobody has led it for more than five minutes`;
    case 'unread':
      return `might let no undo window end for up to an hour, ${unread}`;
  }
}

/** The controller that ends an undo window. */
export interface WindowKeeper {
  /** Why it is not at work; undefined if it is, or if that is not known. */
  readonly absent: string | undefined;
  readonly wait: SeenWait;
}

/** Who ends the undo windows. */
export interface WindowKeepers {
  ofClaims(namespace: string): WindowKeeper;
  ofVolume(volume: PersistentVolume): WindowKeeper;
}

/**
 * Says when something is deleted whose undo window ends at this time.
 *
 * @param due milliseconds since 1970, as `now`
 */
export function windowEndWords(
  what: string,
  due: number,
  { absent, wait }: WindowKeeper,
  now: number,
): string {
  const after = new Date(due).toISOString();
  if (absent !== undefined) {
    const hour = wait.kind === 'onceLed' ? '; once it is led again, no window ends for an hour' : '';
    return `would delete ${what} after ${after}, but is not at work: ${absent}${hour}`;
  }
  const end = endOf(due, wait);
  if (end > Math.max(due, now)) {
    return `deletes ${what} after ${new Date(end).toISOString()}, and not after ${after}: ${vacancy}`;
  }
  return `deletes ${what} after ${after}${wait.kind === 'unread' ? `, or up to an hour later, ${unread}` : ''}`;
}

/** Returns when a window ends whose mark has this time, in milliseconds since 1970. */
export function endOf(due: number, wait: SeenWait): number {
  return Math.max(due, timeOf(wait) ?? due);
}
