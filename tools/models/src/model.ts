import type { History, State } from './history.ts';

/**
 * A change of the world, as the server's own watch shows it. The history ends with the state before the
 * change.
 */
export interface Change {
  readonly history: History;
  readonly after: State;
  /** The time of the change, in milliseconds since the epoch, by the API server's clock. */
  readonly time: number;
}

/**
 * What one app promises to its users, written from its specification. It knows what must survive and what
 * must go in the end; everything else is left open. Pure.
 */
export interface Model {
  readonly app: AppName;
  /** Returns what the change removed although it had to survive, one sentence each; empty if nothing. */
  lost(change: Change): readonly string[];
  /**
   * Returns what is still to be done before the world can be at rest, one sentence each; empty if nothing.
   */
  owed(history: History): readonly string[];
}

export const appNames = [
  'pvc-protection',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
  'retroactive-default-sc',
] as const;

export type AppName = (typeof appNames)[number];
