import type { History, State } from './history.ts';

/** A change of the world, as the server's own watch shows it: the history ends with the state before it. */
export interface Change {
  readonly history: History;
  readonly after: State;
  /** Of the change; milliseconds since the epoch, by the clock of the API server. */
  readonly time: number;
}

/**
 * What one app owes to those who use it, written from its specification. It knows what must survive and what must go in the end; the rest is left
 * open. Pure.
 */
export interface Model {
  readonly app: AppName;
  /** What the change has taken away that had to survive: a sentence for each. Empty: nothing. */
  lost(change: Change): readonly string[];
  /** What is still to be done before the world can be at rest: a sentence for each. Empty: nothing. */
  owed(history: History): readonly string[];
}

export const appNames = [
  'pvc-protection',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
  'retroactive-default-sc',
] as const;

export type AppName = (typeof appNames)[number];
